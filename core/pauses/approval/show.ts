// How a decision stands that several take, for one of them.
import type { Knex } from 'knex';
import type { ApprovalOut } from '#contract/pauses/approvals.ts';
import type { ApprovalVotesRow, WaitsRow } from '#db/tables.ts';
import { type Ctx, personOf } from '../../kernel/ctx.ts';
import { type Approval, approvalOf, stageOf } from './model.ts';
import { type Electorate, electorateOf, isApprover, principalsOf, tally, votesOf } from './tally.ts';

const MOST_MISSING = 50;

/** Nothing is read where no rule asks several, nor for who is no person of the organization. */
export async function approvalsShown(ctx: Ctx, rows: readonly WaitsRow[]): Promise<Map<string, ApprovalOut>> {
  const shown = new Map<string, ApprovalOut>();
  const { actor } = ctx;
  const governed = rows.flatMap((row) => {
    const approval = approvalOf(row);
    return approval && actor.kind === 'user' && actor.user_id === row.asked_of ? [{ row, approval }] : [];
  });
  if (governed.length === 0 || actor.kind !== 'user') return shown;
  const [electorate, votes] = await Promise.all([
    electorateOf(ctx.db, actor.user_id, ctx.clock()),
    votesOf(
      ctx.db,
      governed.map(({ row }) => row.wait_id),
    ),
  ]);
  const emails = await emailsOf(ctx.db, electorate, votes);
  for (const { row, approval } of governed) {
    const own = votes.filter(({ wait_id }) => wait_id === row.wait_id);
    shown.set(row.wait_id, present(row, approval, { votes: own, electorate, emails, person: personOf(actor) }));
  }
  return shown;
}

export function withApproval<W extends { wait_id: string }>(wait: W, approvals: ReadonlyMap<string, ApprovalOut>): W & { approval?: ApprovalOut } {
  const approval = approvals.get(wait.wait_id);
  return approval ? { ...wait, approval } : wait;
}

/** Of one wait, as members of an answer. */
export async function approvalShown(ctx: Ctx, row: WaitsRow): Promise<{ approval?: ApprovalOut }> {
  const approval = (await approvalsShown(ctx, [row])).get(row.wait_id);
  return approval ? { approval } : {};
}

interface Seen {
  votes: readonly ApprovalVotesRow[];
  electorate: Electorate;
  emails: ReadonlyMap<string, string>;
  person: string;
}

function present(row: WaitsRow, approval: Approval, { votes, electorate, emails, person }: Seen): ApprovalOut {
  const { approvers } = stageOf(approval, row);
  const stands = tally(row, votes, electorate);
  const named = (id: string | null) => ({ user_id: id ?? '', email: emails.get(id ?? '') ?? null });
  const isOpen = row.state === 'pending';
  const taken = new Set(stands.counting.map(({ for_id }) => for_id));
  const hasVoted = stands.counting.some(({ by_id }) => by_id === person);
  const principals = hasVoted || !isOpen ? [] : principalsOf(row, electorate, person).filter(({ from_id }) => !taken.has(from_id));
  const forSelf = isOpen && !hasVoted && !taken.has(person) && isApprover(row, electorate, person);
  return {
    rule: approval.rule,
    policy_version: approval.policy_version,
    policy_sha256: approval.policy_sha256,
    stage: (row.approval_stage ?? 0) + 1,
    role: 'role' in approvers ? approvers.role : null,
    need: stands.need,
    approved: stands.approved,
    votes: votes.map((vote) => ({
      by: named(vote.by_id),
      for: vote.for_id === vote.by_id ? null : named(vote.for_id),
      decision: vote.decision,
      at: vote.at.toISOString(),
      counts: isOpen ? stands.counting.includes(vote) : vote.counted,
    })),
    missing: isOpen ? stands.missing.slice(0, MOST_MISSING).map(named) : [],
    at_deadline: (row.approval_stage ?? 0) + 1 < approval.stages.length ? 'escalate' : 'deny',
    may_vote: forSelf || principals.length > 0,
    may_vote_for: [...new Set(principals.map(({ from_id }) => from_id))].map(named),
    voted: votes.find(({ by_id }) => by_id === person)?.decision ?? null,
  };
}

/** Of members as the organization has them; of who left, as the account has it. */
async function emailsOf(db: Knex, { people }: Electorate, votes: readonly ApprovalVotesRow[]): Promise<Map<string, string>> {
  const emails = new Map([...people.values()].flatMap(({ user_id, email }) => (email === null ? [] : [[user_id, email] as const])));
  const others = votes.flatMap(({ by_id, for_id }) => [by_id, for_id]).filter((id) => id !== null && !emails.has(id));
  if (others.length === 0) return emails;
  const rows = await db('users')
    .whereIn(
      'user_id',
      others.filter((id) => id !== null),
    )
    .select('user_id', 'email');
  for (const { user_id, email } of rows) emails.set(user_id, email);
  return emails;
}
