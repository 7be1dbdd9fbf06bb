// How a vote stands: whose votes count, who may still vote. Members, votes and delegations as they are at
// this moment; pure but for the reading.
import type { Knex } from 'knex';
import type { OrganizationRole } from '#contract/states.ts';
import type { ApprovalDelegationsRow, ApprovalVotesRow, OrganizationMembersRow, WaitsRow } from '#db/tables.ts';
import type { Approvers } from '#contract/orgs/approvals.ts';
import { type Approval, approvalOf, stageOf } from './model.ts';

interface Person {
  user_id: string;
  email: string | null;
  role: OrganizationRole;
}

export type ApprovalDelegation = Pick<ApprovalDelegationsRow, 'delegation_id' | 'from_id' | 'to_id'>;

/** What several waits of one organization share. */
export interface Electorate {
  /** Active members. */
  people: ReadonlyMap<string, Person>;
  /** In force now. */
  delegations: readonly ApprovalDelegation[];
}

export interface Tally {
  need: number;
  /** Those that have not been replaced. */
  votes: readonly ApprovalVotesRow[];
  /** Among them. */
  counting: readonly ApprovalVotesRow[];
  /** Of counting ones that approve, one for each person. */
  approved: number;
  /** user_ids of those whose vote is wanted and missing. */
  missing: readonly string[];
}

/** Everybody. */
export async function electorateOf(db: Knex, organizationId: string, now: number): Promise<Electorate> {
  const [people, delegations] = await Promise.all([activeMembers(db, organizationId), delegationsOf(db, organizationId, now)]);
  return { people: byId(people), delegations };
}

/**
 * The voter, those for whom they may vote, and those who have voted: locked against their removal to the end
 * of the transaction.
 */
export async function votersOf(
  tx: Knex.Transaction,
  i: { organizationId: string; now: number; voter: string | null; votes: readonly ApprovalVotesRow[] },
): Promise<Electorate> {
  const delegations = i.voter === null ? [] : await delegationsOf(tx, i.organizationId, i.now).where({ to_id: i.voter });
  const ids = [i.voter, ...delegations.map(({ from_id }) => from_id), ...i.votes.flatMap(({ for_id, by_id }) => [for_id, by_id])];
  const known = [...new Set(ids)].filter((id) => id !== null).toSorted();
  return { people: byId(await activeMembers(tx, i.organizationId).whereIn('user_id', known).orderBy('user_id').forShare()), delegations };
}

export function activeMembers(db: Knex, organizationId: string) {
  return db('organization_members').where({ organization_id: organizationId, state: 'active' }).whereNotNull('user_id').select('user_id', 'role', 'email');
}

function delegationsOf(db: Knex, organizationId: string, now: number) {
  const at = new Date(now);
  return db('approval_delegations')
    .where({ organization_id: organizationId, revoked_at: null })
    .where('starts_at', '<=', at)
    .where('ends_at', '>', at)
    .select('delegation_id', 'from_id', 'to_id');
}

function byId(rows: readonly Pick<OrganizationMembersRow, 'user_id' | 'email' | 'role'>[]): Map<string, Person> {
  return new Map(rows.flatMap(({ user_id, role, email }) => (user_id === null ? [] : [[user_id, { user_id, email, role }] as const])));
}

export async function votesOf(db: Knex, waitIds: readonly string[]): Promise<ApprovalVotesRow[]> {
  return db('approval_votes')
    .whereIn('wait_id', [...waitIds])
    .whereNull('replaced_at')
    .orderBy(['at', 'vote_id']);
}

/** Whether they may approve it now, for themselves. */
export function isApprover(row: WaitsRow, { people }: Electorate, userId: string): boolean {
  const approval = approved(row);
  const person = people.get(userId);
  if (!person || isBarred(approval, userId)) return false;
  const { approvers } = stageOf(approval, row);
  return 'people' in approvers ? approvers.people.includes(userId) : approvers.role === person.role;
}

/** Who started it approves it for nobody. */
export function isBarred({ starter_may_count, starters }: Approval, userId: string): boolean {
  return !starter_may_count && starters.includes(userId);
}

/** Those for whom they may vote as a delegate. */
export function principalsOf(row: WaitsRow, electorate: Electorate, userId: string): ApprovalDelegation[] {
  if (!electorate.people.has(userId) || isBarred(approved(row), userId)) return [];
  return electorate.delegations.filter(({ from_id, to_id }) => to_id === userId && isApprover(row, electorate, from_id));
}

export function tally(row: WaitsRow, votes: readonly ApprovalVotesRow[], electorate: Electorate): Tally {
  const approval = approved(row);
  const { approvers } = stageOf(approval, row);
  const counts = ({ for_id, by_id }: ApprovalVotesRow): boolean =>
    for_id !== null && by_id !== null && electorate.people.has(by_id) && !isBarred(approval, by_id) && isApprover(row, electorate, for_id);
  const counting = votes.filter(counts);
  const given = new Set(counting.map(({ for_id }) => for_id));
  const wanted = 'people' in approvers ? approvers.people : [...electorate.people.keys()].toSorted();
  return {
    need: needOf(approval, approvers),
    votes,
    counting,
    approved: counting.filter(({ decision }) => decision === 'approve').length,
    missing: wanted.filter((id) => !given.has(id) && isApprover(row, electorate, id)),
  };
}

/** All who are named: but for those whom their own run bars. */
function needOf(approval: Approval, approvers: Approvers): number {
  if (approvers.need !== undefined) return approvers.need;
  return 'people' in approvers ? Math.max(1, approvers.people.filter((id) => !isBarred(approval, id)).length) : 1;
}

function approved(row: WaitsRow): Approval {
  const approval = approvalOf(row);
  if (!approval) throw new Error(`${row.wait_id} has no rule`);
  return approval;
}
