// A member of an organization votes on what a rule asks several to approve. Votes are rows; they follow each
// other, since each holds the wait. The one that is enough, or the first denial, ends the wait in its own
// transaction; its workflow then delivers the outcome.
import type { ApprovalVotesRow, WaitsRow } from '#db/tables.ts';
import { appendEvent } from '../../jobs/append-event.ts';
import { act, type ActOutcome, recorded, unchanged } from '../../kernel/act.ts';
import { audit } from '../../kernel/audit.ts';
import { type Ctx, personOf, type TxCtx } from '../../kernel/ctx.ts';
import { Conflict, type DomainError, Forbidden } from '../../kernel/errors.ts';
import { newId } from '../../kernel/ids.ts';
import { may, requireUser } from '../../kernel/policy.ts';
import { storableText } from '../../kernel/storable.ts';
import { signalWorkflow } from '../../outbox/messages.ts';
import { type WaitWithRun, lockWait } from '../wait/hold.ts';
import { type WaitKind, workflowOf } from '../wait/model.ts';
import { closedBy, waitNotFound } from '../wait/refusals.ts';
import { type Decision, type Resolved, stateOf, prewake } from './decision.ts';
import { byTheClock, byVotes, resolveApproval } from './advance.ts';
import { type Approval, approvalOf } from '../approval/model.ts';
import { type Electorate, isApprover, isBarred, principalsOf, tally, votersOf, votesOf } from '../approval/tally.ts';

interface Vote {
  waitId: string;
  kind: WaitKind;
  decision: Decision;
  /** user_id or address of the member whose delegate the voter is. */
  for?: string | undefined;
}

/**
 * @throws NotFound; Conflict wait_resolved, vote_cast, vote_for_whom; Gone wait_over; Forbidden
 * not_an_approver, four_eyes
 */
export async function castVote(ctx: Ctx, found: WaitWithRun, i: Vote): Promise<Resolved> {
  const voted = await act(ctx, 'approval.vote', requireUser, async (ctx, user) => {
    if (found.row.kind !== i.kind || i.decision.decision === 'answered' || !may(user, 'approval.vote', { owner: found.row.asked_of })) throw waitNotFound();
    const wait = await lockWait(ctx.db, i.waitId);
    if (!wait) throw waitNotFound();
    return voteOn(ctx, wait, { ...i, person: personOf(user) });
  });
  // What the clock did stays done.
  if ('refusal' in voted) throw voted.refusal;
  const { row } = voted;
  if (row.state !== 'pending') prewake(ctx, found);
  return { wait_id: row.wait_id, state: stateOf(row), row };
}

async function voteOn(ctx: TxCtx, first: WaitWithRun, i: Vote & { person: string }): Promise<ActOutcome<WaitWithRun | { refusal: DomainError }>> {
  const wait = await byTheClock(ctx, first);
  const { row } = wait;
  const approval = approvalOf(row);
  if (!approval) throw waitNotFound();
  const votes = await votesOf(ctx.db, [row.wait_id]);
  const decision = i.decision.decision === 'approved' ? 'approve' : 'deny';
  // Sent twice it is one vote, also where it has ended the wait.
  const mine = votes.find(({ by_id }) => by_id === i.person);
  if (mine?.decision === decision && (i.for === undefined || mine.request_id === ctx.requestId)) return unchanged(wait);
  if (row.state !== 'pending') return unchanged({ refusal: await closedBy(ctx, row) });
  const electorate = await votersOf(ctx.db, { organizationId: row.asked_of, now: ctx.clock(), voter: i.person, votes });
  const whose = whoseVote(row, approval, electorate, i);
  await replaceOthers(ctx, row, { electorate, votes, person: i.person, principal: whose.id, decision });
  const reason = i.decision.decision === 'denied' ? i.decision.reason : '';
  const vote = await store(ctx, row, { for_id: whose.id, by_id: i.person, delegation_id: whose.delegation_id, decision, reason: storableText(reason) });
  const now = await votesOf(ctx.db, [row.wait_id]);
  const stands = tally(row, now, electorate);
  const details = {
    wait_id: row.wait_id,
    rule: approval.rule,
    by: i.person,
    ...(whose.id !== i.person && { for: whose.id }),
    decision,
    stage: vote.stage + 1,
    approved: stands.approved,
    need: stands.need,
  };
  if (row.job_id !== null) await appendEvent(ctx.db, row.job_id, 'approval.vote', details);
  await audit(
    ctx,
    'approval.vote',
    { wait: row.wait_id },
    {
      ...details,
      run_id: row.run_id,
      policy_version: approval.policy_version,
      policy_sha256: approval.policy_sha256,
    },
  );
  const by = { person: i.person, requestId: ctx.requestId };
  const after =
    decision === 'deny'
      ? await resolveApproval(ctx, wait, approval, { decision: 'denied', reason, by: i.person, request_id: ctx.requestId }, stands.counting)
      : await byVotes(ctx, wait, stands, by);
  if (after.row.state !== 'pending') await signalWorkflow(ctx, workflowOf(row.wait_id), 'voted');
  return recorded(after);
}

interface Whose {
  id: string;
  delegation_id: string | null;
}

/** For themselves where they may, else for the one who named them. */
function whoseVote(row: WaitsRow, approval: Approval, electorate: Electorate, { person, for: named }: { person: string; for?: string | undefined }): Whose {
  const principals = principalsOf(row, electorate, person);
  const self: Whose[] = isApprover(row, electorate, person) ? [{ id: person, delegation_id: null }] : [];
  const all: Whose[] = [...self, ...principals.map(({ from_id, delegation_id }) => ({ id: from_id, delegation_id }))];
  const wanted = named?.toLowerCase();
  const choices = wanted === undefined ? (self.length > 0 ? self : all) : all.filter(({ id }) => id === named || electorate.people.get(id)?.email === wanted);
  const ids = new Set(choices.map(({ id }) => id));
  const [first] = choices;
  if (first && ids.size === 1) return first;
  if (first) throw new Conflict('vote_for_whom', 'Several members named you as their delegate: say for whom you vote', { for: [...ids] });
  if (isBarred(approval, person)) throw new Forbidden('four_eyes', 'You started this run, so another member approves it');
  throw new Forbidden('not_an_approver', `The rule ${approval.rule} asks others: the wait names who is missing`, { rule: approval.rule });
}

/**
 * One vote for each member, and by each member. A denial takes the place of an approval that the same member
 * gave, or that a delegate gave for them; a vote that no longer counts makes place for another. @throws
 * Conflict vote_cast
 */
async function replaceOthers(
  ctx: TxCtx,
  row: WaitsRow,
  i: { electorate: Electorate; votes: readonly ApprovalVotesRow[]; person: string; principal: string; decision: 'approve' | 'deny' },
): Promise<void> {
  const inTheWay = i.votes.filter(({ by_id, for_id }) => by_id === i.person || for_id === i.principal);
  const { counting } = tally(row, i.votes, i.electorate);
  if (i.decision === 'approve' && inTheWay.some((vote) => counting.includes(vote)))
    throw new Conflict('vote_cast', 'This vote was given already: each member has one vote on a decision, their own or that of a delegate');
  const ids = inTheWay.map(({ vote_id }) => vote_id);
  if (ids.length > 0)
    await ctx
      .db('approval_votes')
      .whereIn('vote_id', ids)
      .update({ replaced_at: new Date(ctx.clock()) });
}

type Stored = Pick<ApprovalVotesRow, 'for_id' | 'by_id' | 'delegation_id' | 'decision' | 'reason'>;

async function store(ctx: TxCtx, row: WaitsRow, vote: Stored): Promise<ApprovalVotesRow> {
  const [stored] = await ctx
    .db('approval_votes')
    .insert({
      vote_id: newId('vot', ctx.clock()),
      wait_id: row.wait_id,
      organization_id: row.asked_of,
      ...vote,
      stage: row.approval_stage ?? 0,
      request_id: ctx.requestId,
      at: new Date(ctx.clock()),
    })
    .returning('*');
  if (!stored) throw new Error('the vote was not stored');
  return stored;
}
