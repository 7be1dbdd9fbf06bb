// A user decides a wait. The row decides: who holds it while it is pending writes the outcome, and everybody
// is answered with what is written. The engine hears of it through the outbox, so a decision needs no engine.
import { canonicalSha256 } from '#contract/crypto/sha256.ts';
import type { WaitsRow } from '#db/tables.ts';
import { act, recorded, unchanged } from '../../kernel/act.ts';
import { requireUser } from '../../kernel/policy.ts';
import { type Ctx, personOf } from '../../kernel/ctx.ts';
import { isOpenRun } from '../../kernel/run-state.ts';
import { storable } from '../../kernel/storable.ts';
import { castVote } from './vote.ts';
import { answering, mayAnswer } from '../wait/shown-recipients.ts';
import { checkAnswer } from '../wait/form.ts';
import { type WaitWithRun, lockWait, lookAtWait } from '../wait/hold.ts';
import { questionOf, type Resolution, resolutionOf, type WaitKind } from '../wait/model.ts';
import { type Decision, type Resolved, stateOf, prewake } from './decision.ts';
import { isStillRecipient } from '../wait/recipients.ts';
import { resolveByPerson } from '../wait/record-outcome.ts';
import { closedBy, waitOver, waitNotFound } from '../wait/refusals.ts';

/**
 * `for`: whose vote it is, where several decide and the caller is the delegate of one of them.
 * @throws NotFound (not asked of them), Conflict wait_resolved, Gone wait_over; Forbidden not_an_approver,
 * four_eyes; Conflict vote_cast, vote_for_whom
 */
export async function resolveWait(ctx: Ctx, i: { waitId: string; kind: WaitKind; decision: Decision; for?: string | undefined }): Promise<Resolved> {
  // Whom a rule names votes by it, whatever their role: which of the two it is, the wait says.
  requireUser(ctx, 'approval.vote');
  const wait = await lookAtWait(ctx.db, i.waitId);
  if (wait?.row.approval) return castVote(ctx, wait, i);
  // So does whom a question names.
  const action = wait ? answering(wait.row) : 'wait.resolve';
  const by = personOf(requireUser(ctx, action));
  if (!wait || wait.row.kind !== i.kind || !mayAnswer(ctx, wait.row)) throw waitNotFound();
  await checkOpen(ctx, wait, by);
  const decision = i.decision.decision === 'answered' ? { ...i.decision, answer: await answerTo(wait, i.decision.answer) } : i.decision;
  const resolution: Resolution = { ...decision, by, request_id: ctx.requestId };
  if (wait.row.state === 'pending') prewake(ctx, wait);
  const row = await act(ctx, action, requireUser, async (ctx) => {
    const current = await lockWait(ctx.db, i.waitId);
    if (!current || !(await isStillRecipient(ctx, current.row))) throw waitNotFound();
    await checkOpen(ctx, current, by);
    return current.row.state === 'pending' ? recorded(await resolveByPerson(ctx, current, resolution)) : unchanged(current.row);
  });
  if (!isSame(row, resolution)) throw await closedBy(ctx, row);
  return { wait_id: row.wait_id, state: stateOf(row), row };
}

/** Whose form it is pays for reading it, not who answers. */
function answerTo({ row, author }: WaitWithRun, answer: unknown): Promise<unknown> {
  return checkAnswer(author ?? row.agent_name ?? row.asked_of, answer, questionOf(row).schema);
}

/**
 * Sent again by the same person, a decision is no second one: also where the rules for grants made a denial
 * of their approval.
 */
function isSame(row: WaitsRow, wanted: Resolution): boolean {
  const { answer, reason, decision = row.state } = resolutionOf(row);
  return row.resolved_by === wanted.by && decision === wanted.decision && hashOf(wanted.decision, { answer, reason }) === hashOf(wanted.decision, wanted);
}

function hashOf(decision: Resolution['decision'], { answer, reason }: { answer?: unknown; reason?: string | undefined }): string {
  return canonicalSha256(storable({ answer: decision === 'answered' ? answer : null, reason: decision === 'denied' ? (reason ?? '') : null }));
}

/** What others decided is closed to this person; their own may come again. */
async function checkOpen(ctx: Ctx, { row, run }: WaitWithRun, by: string): Promise<void> {
  if (row.state !== 'pending') {
    if (row.resolved_by !== by) throw await closedBy(ctx, row);
  } else if (run !== null && !isOpenRun(run)) throw waitOver('cancelled');
  else if (row.expires_at.getTime() <= ctx.clock()) throw waitOver('expired');
}
