// What the clock does to a wait that several decide: it is escalated, or denied. And what their votes come
// to.
import type { ApprovalVotesRow, WaitsRow } from '#db/tables.ts';
import { appendEvent } from '../../jobs/append-event.ts';
import { audit } from '../../kernel/audit.ts';
import type { Ctx, TxCtx } from '../../kernel/ctx.ts';
import { system } from '../../kernel/act.ts';
import { type WaitWithRun, lockWait } from '../wait/hold.ts';
import type { WaitOutcome } from '../wait/model.ts';
import { awaitsDelivery, resolveLockedWait } from '../wait/record-outcome.ts';
import { type Approval, approvalOf } from '../approval/model.ts';
import { tally, type Tally, votersOf, votesOf } from '../approval/tally.ts';

/** `until`: milliseconds since the epoch. `tell`: the skill waits for what came of it. */
export type ApprovalProgress = { state: 'pending'; until: number } | { state: Exclude<WaitsRow['state'], 'pending'>; tell: boolean };

/**
 * Called by the wait's workflow, when the time of a stage is over or votes have decided; perhaps more than
 * once.
 */
export async function advanceApproval(ctx: Ctx, waitId: string): Promise<ApprovalProgress> {
  return system(ctx, async (ctx) => {
    const wait = await lockWait(ctx.db, waitId);
    if (!wait) return { state: 'cancelled', tell: false };
    const { row } = await byTheClock(ctx, wait);
    if (row.state === 'pending') return { state: 'pending', until: row.expires_at.getTime() };
    return { state: row.state, tell: row.state !== 'cancelled' && awaitsDelivery({ ...wait, row }) };
  });
}

/** With the wait held. Resolves with it as it is afterwards. */
export async function byTheClock(ctx: TxCtx, held: WaitWithRun): Promise<WaitWithRun> {
  let now = held;
  // A stage may be over as soon as it begins: in a process that was away for long.
  for (;;) {
    const { row } = now;
    const approval = approvalOf(row);
    if (row.state !== 'pending' || approval === null || row.expires_at.getTime() > ctx.clock()) return now;
    const isLast = (row.approval_stage ?? 0) + 1 >= approval.stages.length;
    if (ctx.clock() >= approval.limit_at) return resolveApproval(ctx, now, approval, { decision: 'expired' });
    if (isLast) return resolveApproval(ctx, now, approval, await atDeadline(ctx, row, approval));
    now = { ...now, row: await escalate(ctx, row, approval) };
    now = await byVotes(ctx, now, await standing(ctx, now.row));
  }
}

/** Settles it where enough have approved. `stands`: as it is now. */
export async function byVotes(ctx: TxCtx, held: WaitWithRun, stands: Tally, by?: { person: string; requestId: string }): Promise<WaitWithRun> {
  const approval = approvalOf(held.row);
  if (approval === null || held.row.state !== 'pending') return held;
  if (stands.approved < stands.need) return held;
  const last = stands.counting.findLast(({ decision }) => decision === 'approve');
  const person = by?.person ?? last?.by_id ?? '';
  return resolveApproval(ctx, held, approval, { decision: 'approved', by: person, request_id: by?.requestId ?? last?.request_id ?? '' }, stands.counting);
}

export async function resolveApproval(
  ctx: TxCtx,
  held: WaitWithRun,
  { rule, policy_version, policy_sha256 }: Approval,
  outcome: WaitOutcome,
  counting: readonly ApprovalVotesRow[] = [],
): Promise<WaitWithRun> {
  const ids = counting.map(({ vote_id }) => vote_id);
  if (ids.length > 0) await ctx.db('approval_votes').whereIn('vote_id', ids).update({ counted: true });
  const votes = counting.map(({ for_id, by_id, decision }) => ({ by: by_id, decision, ...(for_id !== by_id && { for: for_id }) }));
  await resolveLockedWait(ctx, held, outcome, { rule, policy_version, policy_sha256, votes });
  const row = await ctx.db('waits').where({ wait_id: held.row.wait_id }).first();
  return { ...held, row: row ?? held.row };
}

async function standing(ctx: TxCtx, row: WaitsRow): Promise<Tally> {
  const votes = await votesOf(ctx.db, [row.wait_id]);
  return tally(row, votes, await votersOf(ctx.db, { organizationId: row.asked_of, now: ctx.clock(), voter: null, votes }));
}

async function atDeadline(ctx: TxCtx, row: WaitsRow, { rule }: Approval): Promise<WaitOutcome> {
  const { approved, need } = await standing(ctx, row);
  return { decision: 'denied', by: null, request_id: '', reason: `${approved} of ${need} had approved at the deadline of the rule ${rule}` };
}

async function escalate(ctx: TxCtx, row: WaitsRow, { rule, stages, limit_at }: Approval): Promise<WaitsRow> {
  const from = row.approval_stage ?? 0;
  const seconds = stages[from + 1]?.deadline_seconds ?? 0;
  // Counted from the deadline: whether it was noticed late changes nothing.
  const expires_at = new Date(Math.min(limit_at, row.expires_at.getTime() + seconds * 1000));
  const [moved] = await ctx
    .db('waits')
    .where({ wait_id: row.wait_id, state: 'pending', approval_stage: from })
    .update({ approval_stage: from + 1, expires_at })
    .returning('*');
  if (!moved) throw new Error(`${row.wait_id} was escalated while it was held`);
  const details = { wait_id: row.wait_id, rule, stage: from + 2, expires_at: expires_at.toISOString() };
  if (row.job_id !== null) await appendEvent(ctx.db, row.job_id, 'approval.escalated', details);
  await audit(ctx, 'approval.escalate', { wait: row.wait_id }, { ...details, run_id: row.run_id }, row.asked_of);
  return moved;
}
