// A durable run ends once: its last events, its receipt, its job and the messages to its waiters, in one
// transaction.
import type { Ctx, TxCtx } from '../../kernel/ctx.ts';
import { appendEvents } from '../../jobs/append-event.ts';
import { jobEnded } from '../../jobs/followers.ts';
import { openStates } from '../../jobs/model.ts';
import { transitionJob } from '../../jobs/transition.ts';
import { signalWorkflow } from '../../outbox/messages.ts';
import { isOpenRun, OPEN_RUN_STATES } from '../../kernel/run-state.ts';
import { system } from '../../kernel/act.ts';
import { noteFailure } from '../../agents/agent/note-failure.ts';
import { faultIn } from '../run/agent-fault.ts';
import { askToStop } from '../../jobs/ask-to-stop.ts';
import { appendRunEnded, appendRunEvents } from './show-in-thread.ts';
import type { RunOutcome } from '../run/outcome.ts';
import { jobOfRun } from '../../jobs/of-run.ts';
import type { AgentRunEvent, RecordPoint } from './record.ts';
import { writeFailure } from '../content/failure.ts';
import { endRun } from '../run/end.ts';
import { factsOfRow } from '../run/facts.ts';

/** The agent's last events, recorded with the end unless another driver has recorded events from there. */
export interface LastEvents extends Pick<RecordPoint, 'attempt' | 'cursor'> {
  events: readonly AgentRunEvent[];
}

/** False: it has ended already, or another driver has recorded more; nothing was changed. */
export async function endDurableRun(ctx: Ctx, runId: string, end: RunOutcome, last?: LastEvents): Promise<boolean> {
  return system(ctx, async (ctx) => {
    const row = await ctx.db('runs').where({ run_id: runId }).forUpdate().first();
    if (!row || !isOpenRun(row)) return false;
    const job = await jobOfRun(ctx.db, runId);
    if (!job) return false;
    if (last) {
      if (row.attempt !== last.attempt || row.event_cursor !== last.cursor) return false;
      await ctx
        .db('runs')
        .where({ run_id: runId })
        .update({ event_cursor: last.events.at(-1)?.seq ?? last.cursor, event_count: row.event_count + last.events.length });
      await appendEvents(
        ctx.db,
        job.job_id,
        last.events.map(({ kind, payload }) => ({ kind: `run.${kind}`, payload })),
      );
      await appendRunEvents(ctx.db, row, last.events);
    }
    const facts = await factsOfRow(ctx.db, row);
    const { receipt_id } = await endRun(ctx, facts, end);
    if (end.state === 'failed') writeFailure(ctx, row, facts.run.owner_id, end.error);
    const fault = faultIn(end);
    if (fault !== undefined && row.deploy_id !== null) await noteFailure(ctx.db, row.deploy_id, fault);
    if (end.state === 'cancelled') await cancelChildren(ctx, runId);
    await transitionJob(ctx.db, job.job_id, {
      from: openStates,
      to: end.state,
      output: { ...(end.state === 'succeeded' ? { result: end.result ?? null } : {}), receipt_id },
      ...(end.error ? { error: end.error } : {}),
    });
    await appendRunEnded(ctx.db, row, job.job_id, { ...end, receipt_id });
    const { job_id, parent_job_id } = job;
    await jobEnded(ctx, { job_id, parent_job_id, run_id: runId, thread_id: row.thread_id }, end);
    await signalParent(ctx, parent_job_id, { job_id, state: end.state });
    return true;
  });
}

/** Durable runs that it started; its calls end with their connection. */
async function cancelChildren(ctx: TxCtx, runId: string): Promise<void> {
  const children = await ctx
    .db('runs as r')
    .join('jobs as j', 'j.job_id', 'r.job_id')
    .where({ 'r.parent_run_id': runId })
    .whereIn('r.state', OPEN_RUN_STATES)
    .whereNot('r.kind', 'call')
    .select('j.job_id', 'j.workflow_id', 'j.ended_at');
  for (const child of children) await askToStop(ctx, child, 'parent');
}

async function signalParent(ctx: TxCtx, parentJobId: string | null, ended: { job_id: string; state: string }): Promise<void> {
  if (parentJobId === null) return;
  const parent = await ctx.db('jobs').where({ job_id: parentJobId }).whereNull('ended_at').first('workflow_id');
  if (parent?.workflow_id) await signalWorkflow(ctx, parent.workflow_id, 'childEnded', [ended]);
}
