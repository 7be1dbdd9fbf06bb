// A plan ends once: its job, its thread and its turn, in one transaction.
import type { Fault } from '../../kernel/errors.ts';
import type { DagRunsRow } from '#db/tables.ts';
import { audit } from '../../kernel/audit.ts';
import type { TxCtx } from '../../kernel/ctx.ts';
import { jobEnded } from '../../jobs/followers.ts';
import { openStates } from '../../jobs/model.ts';
import { transitionJob } from '../../jobs/transition.ts';
import { appendThreadEvent } from '../../threads/append.ts';

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

export async function endPlan(ctx: TxCtx, plan: DagRunsRow, end: PlanEnd): Promise<void> {
  const moved = await transitionJob(ctx.db, plan.job_id, {
    from: openStates,
    to: end.state,
    ...(end.state === 'succeeded' ? { output: { result: end.result ?? null, ...(end.results ? { results: end.results } : {}) } } : {}),
    ...(end.error ? { error: end.error } : {}),
  });
  if (!moved) return;
  const { job_id, thread_id, dag_run_id } = plan;
  if (thread_id !== null) await appendThreadEvent(ctx.db, thread_id, `plan.${end.state}`, { dag_run_id, ...(end.error ? { error: end.error } : {}) });
  await jobEnded(ctx, { job_id, thread_id, run_id: null, parent_job_id: null }, end);
  await audit(ctx, `dag.${end.state}`, { dag_run: dag_run_id });
}
