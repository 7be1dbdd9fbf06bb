// A user decides a wait. The row shows whether they may; the workflow accepts one decision and so decides which was first.
import { setTimeout as delay } from 'node:timers/promises';
import { canonicalSha256 } from '#contract/crypto/sha256.ts';
import type { WaitsRow } from '#db/tables.ts';
import { UpdateRefused, WorkflowGone, WorkflowsUnavailable } from '#drivers/workflows/port.ts';
import { may, requireUser } from '../../kernel/policy.ts';
import { type Ctx, personOf } from '../../kernel/ctx.ts';
import { Unavailable } from '../../kernel/errors.ts';
import { storable } from '../../kernel/storable.ts';
import { checkAnswer } from './form.ts';
import { type HeldWait, lookAtWait } from './hold.ts';
import { questionOf, type Resolution, resolutionOf, type WaitKind, workflowOf } from './model.ts';
import { type Decision, type Resolved, wakeAhead } from './decision.ts';
import { castVote } from '../approval/vote.ts';
import { restartWait } from './reconcile.ts';
import { closedBy, isOver, notAsked, resolvedAlready } from './refusals.ts';

/** How long to look again for a workflow that is not there yet. */
const [startTries, startEveryMs] = [20, 100];

/**
 * `for`: whose vote it is, where several decide and the caller is the delegate of one of them.
 * @throws NotFound (not asked of them), Conflict wait_resolved, Gone wait_over, Unavailable (nothing is lost: send it again); Forbidden not_an_approver,
 * four_eyes; Conflict vote_cast, vote_for_whom
 */
export async function resolveWait(ctx: Ctx, i: { waitId: string; kind: WaitKind; decision: Decision; for?: string | undefined }): Promise<Resolved> {
  // Whom a rule names votes by it, whatever their role: which of the two it is, the wait says.
  requireUser(ctx, 'approval.vote');
  const found = await lookAtWait(ctx.db, i.waitId);
  if (found?.row.approval) return castVote(ctx, found, i);
  const by = personOf(requireUser(ctx, 'wait.resolve'));
  if (!found || found.row.kind !== i.kind || !may(ctx.actor, 'wait.resolve', { owner: found.row.asked_of })) throw notAsked();
  const { row } = found;
  const decided: Resolved = { wait_id: row.wait_id, state: i.decision.decision, row };
  if (resolutionOf(row).request_id !== ctx.requestId) checkOpen(row, ctx.clock());
  const decision = i.decision.decision === 'answered' ? { ...i.decision, answer: await answerTo(found, i.decision.answer) } : i.decision;
  const resolution: Resolution = { ...decision, by, request_id: ctx.requestId };
  if (sameDecision(row, resolution)) return decided;
  checkOpen(row, ctx.clock());
  wakeAhead(ctx, found);
  for (let tries = 1; ; tries += 1) {
    try {
      await ctx.drivers.workflows.update(workflowOf(row.wait_id), 'resolve', fingerprint(resolution), resolution);
      return decided;
    } catch (error) {
      if (!isUncertain(error)) throw refusal(error);
      // The first decision may have been written meanwhile: this user's own, where Temporal's answer was lost.
      const now = (await ctx.db('waits').where({ wait_id: row.wait_id }).first()) ?? row;
      if (sameDecision(now, resolution)) return decided;
      checkOpen(now, ctx.clock());
      if (!(error instanceof WorkflowGone) || tries > startTries) throw unavailable();
      // The workflow is not there yet (the wait shows before its start is sent), or it is lost: sending its start brings it.
      if (tries === 1) await restartWait(ctx, row.wait_id);
    }
    await delay(startEveryMs);
  }
}

/** Whose form it is pays for reading it, not who answers. */
function answerTo({ row, author }: HeldWait, answer: unknown): Promise<unknown> {
  return checkAnswer(author ?? row.agent_name ?? row.asked_of, answer, questionOf(row).schema);
}

/** The same request again, whose first answer was lost, is no second decision. Another decision under its id is one. */
function sameDecision(row: WaitsRow, resolution: Resolution): boolean {
  const { answer, reason, request_id } = resolutionOf(row);
  if (request_id !== resolution.request_id || row.state !== resolution.decision || row.resolved_by !== resolution.by) return false;
  return fingerprint({ ...resolution, answer, reason }) === fingerprint(resolution);
}

/** Also the id of the update: Temporal treats updates with one id as one. */
function fingerprint({ by, request_id, decision, answer, reason }: Omit<Resolution, 'reason'> & { reason?: string | undefined }): string {
  return canonicalSha256(storable({ by, request_id, decision, answer, reason }));
}

function checkOpen(row: WaitsRow, now: number): void {
  if (row.state !== 'pending') throw closedBy(row);
  if (row.expires_at.getTime() <= now) throw isOver('expired');
}

/** The decision may have been taken all the same. */
function isUncertain(error: unknown): boolean {
  return error instanceof WorkflowGone || error instanceof WorkflowsUnavailable;
}

function refusal(error: unknown): unknown {
  if (!(error instanceof UpdateRefused)) return error;
  return error.type === 'Resolved' ? resolvedAlready() : error.type === 'Over' ? isOver('expired') : error;
}

function unavailable(): Unavailable {
  return new Unavailable('wait_not_reached', 'Your decision could not be delivered yet: send it again in a moment', { retry_after_seconds: 2 });
}
