// A plan ends once: its job, its thread and its turn, in one transaction.
import type { Fault } from '../../kernel/errors.ts';
import type { Knex } from 'knex';
import type { DagRunsRow } from '#db/tables.ts';
import { audit } from '../../kernel/audit.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { openStates } from '../../jobs/model.ts';
import { transitionJob } from '../../jobs/transition.ts';
import { endTurnOfJob } from '../chat/end-turn.ts';
import { firingEnded } from '../schedule/ended.ts';
import { appendThreadEvent } from '../thread/append.ts';

export interface PlanEnd {
  state: 'succeeded' | 'failed' | 'cancelled';
  /** Of its last step. */
  result?: unknown;
  /** Of every step, by number. */
  results?: Record<string, unknown>;
  error?: Fault;
  /** The closing message; default: the result or the error in words. */
  text?: string;
}

export async function endPlan(tx: Knex.Transaction, ctx: Ctx, plan: DagRunsRow, end: PlanEnd): Promise<void> {
  const moved = await transitionJob(tx, plan.job_id, {
    from: openStates,
    to: end.state,
    ...(end.state === 'succeeded' ? { output: { result: end.result ?? null, ...(end.results ? { results: end.results } : {}) } } : {}),
    ...(end.error ? { error: end.error } : {}),
  });
  if (!moved) return;
  await firingEnded(tx, ctx, { job_id: plan.job_id, state: end.state, error: end.error ?? null });
  if (plan.thread_id !== null) {
    await appendThreadEvent(tx, plan.thread_id, `plan.${end.state}`, { dag_run_id: plan.dag_run_id, ...(end.error ? { error: end.error } : {}) });
    await endTurnOfJob(tx, ctx, plan.thread_id, plan.job_id, end);
  }
  await audit(tx, ctx, `dag.${end.state}`, plan.dag_run_id);
}
