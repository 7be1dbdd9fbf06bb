// Whom a question is put to. Strangers cannot be named: an agent asks its caller, its owner, members of the
// organization that owns it, and accounts that have called it and that its owner gave scopes.
import type { Knex } from 'knex';
import type { AskRecipient } from '#contract/wire/context-methods.ts';
import type { OrganizationRole } from '#contract/states.ts';
import type { RunActor, TxCtx } from '../../kernel/ctx.ts';
import { Forbidden } from '../../kernel/errors.ts';
import { isOrganizationId } from '../../kernel/ids.ts';
import type { Recipient } from '../../kernel/policy.ts';
import { roleAllows } from '../../kernel/roles.ts';
import { startersOf } from '../approval/starters.ts';
import { activeMembers } from '../approval/tally.ts';

export interface Recipients extends Recipient {
  /** The account that the question is in. */
  asked_of: string;
}

/** What others are asked, the caller does not read. */
export function isOfCaller({ asked_of, asked_kind, barred }: Recipients, userId: string | null): boolean {
  return asked_of === userId && (asked_kind === 'caller' || (asked_kind === 'owner' && barred.length === 0));
}

const NOBODY: Recipient = { asked_kind: 'caller', asked_role: null, asked_people: [], asked_guests: [], barred: [] };

/** @throws Forbidden nobody_to_ask */
export async function recipientsOf(tx: Knex, run: RunActor, of: AskRecipient = 'caller'): Promise<Recipients> {
  if (of === 'caller') {
    if (run.user_id === null) throw new Forbidden('nobody_to_ask', 'No user of the platform called this run, so there is no user to ask');
    return { ...NOBODY, asked_of: run.user_id };
  }
  if (of === 'owner') return { ...NOBODY, asked_of: run.owner_id, asked_kind: 'owner', barred: await barredFromOwners(tx, run) };
  if ('role' in of) return { ...NOBODY, asked_of: run.owner_id, asked_kind: 'role', asked_role: of.role, barred: await barredFromRole(tx, run, of.role) };
  return { ...NOBODY, asked_of: run.owner_id, asked_kind: 'people', ...(await peopleOf(tx, run, of.people)) };
}

/** Of an organization: who began the run answers their own question only where nobody else could. */
async function barredFromOwners(tx: Knex, run: RunActor): Promise<string[]> {
  if (!isOrganizationId(run.owner_id)) return [];
  const [starters, members] = await Promise.all([startersOfRun(tx, run), activeMembers(tx, run.owner_id)]);
  const others = members.filter(({ user_id, role }) => user_id !== null && !starters.includes(user_id) && roleAllows(role, 'wait.resolve'));
  return others.length > 0 ? starters : [];
}

async function barredFromRole(tx: Knex, run: RunActor, role: OrganizationRole): Promise<string[]> {
  if (!isOrganizationId(run.owner_id))
    throw new Forbidden('nobody_to_ask', `Nobody has the role ${role}: a person owns the agent, and only organizations have roles. Ask the owner`);
  const [starters, members] = await Promise.all([startersOfRun(tx, run), activeMembers(tx, run.owner_id).where({ role })]);
  if (members.some(({ user_id }) => user_id !== null && !starters.includes(user_id))) return starters;
  const but = members.length > 0 ? ' but who began this run' : '';
  throw new Forbidden('nobody_to_ask', `No member of the agent's organization has the role ${role}${but}: give it to somebody, or ask the owner`);
}

function startersOfRun(tx: Knex, { run_id, root_run_id, job_id }: RunActor): Promise<string[]> {
  return startersOf(tx, { run_id, root_run_id: root_run_id ?? null, job_id });
}

interface Person {
  user_id: string;
  email: string | null;
}

async function peopleOf(tx: Knex, run: RunActor, names: readonly string[]): Promise<Pick<Recipient, 'asked_people' | 'asked_guests'>> {
  const [members, guests] = await Promise.all([membersOf(tx, run.owner_id), guestsOf(tx, run)]);
  const unknown: number[] = [];
  const ids = names.map((name, at) => {
    const here = named(members, name);
    const [one, another] = here.length > 0 ? here : named(guests, name);
    if (!one || another) unknown.push(at);
    return one?.user_id ?? '';
  });
  // By their places, since a caller may read it; and the same for who has no account, so that nobody learns
  // by asking who has one.
  if (unknown.length > 0)
    throw new Forbidden(
      'nobody_to_ask',
      `Cannot be asked: ${unknown.map((at) => `people[${at}]`).join(', ')}. Name members of the organization that owns the agent, or accounts that have called it and have scopes (svc callers grant), each by an address that only one of them has or by account id`,
    );
  const isMember = (id: string): boolean => members.some(({ user_id }) => user_id === id);
  const unique = [...new Set(ids)];
  return { asked_people: unique.filter(isMember), asked_guests: unique.filter((id) => !isMember(id)) };
}

function named(people: readonly Person[], name: string): Person[] {
  const wanted = name.toLowerCase();
  return people.filter(({ user_id, email }) => user_id === name || email?.toLowerCase() === wanted);
}

/** Only the owner, where it is a person. */
async function membersOf(tx: Knex, ownerId: string): Promise<Person[]> {
  if (!isOrganizationId(ownerId)) return tx('users').where({ user_id: ownerId }).select('user_id', 'email');
  const members = await activeMembers(tx, ownerId);
  return members.flatMap(({ user_id, email }) => (user_id === null ? [] : [{ user_id, email }]));
}

/** Both have said so: the owner by scopes, they by a call. */
function guestsOf(tx: Knex, { agent_id }: RunActor): Promise<Person[]> {
  return shares(tx, agent_id).whereExists(
    tx('receipts as r').whereRaw('r.caller_user_id = u.user_id').where({ 'r.agent_id': agent_id, 'r.caller_kind': 'user' }).select(tx.raw('1')),
  );
}

function shares(tx: Knex, agentId: string) {
  return tx('caller_scopes as c')
    .join('users as u', 'u.user_id', 'c.user_id')
    .where({ 'c.agent_id': agentId, 'u.kind': 'person' })
    .select('u.user_id', 'u.email');
}

/**
 * Whether who may answer still may, held to the end of the transaction: a member who was removed or has
 * another role since the request began, a guest whose scopes were withdrawn.
 */
export async function isStillRecipient({ actor, db }: TxCtx, row: Recipient & { asked_of: string; agent_id: string | null }): Promise<boolean> {
  if (row.asked_kind === 'caller' || actor.kind !== 'user') return true;
  if (actor.user_id !== row.asked_of)
    return (
      (await db('caller_scopes')
        .where({ agent_id: row.agent_id ?? '', user_id: actor.user_id })
        .forShare()
        .first('user_id')) !== undefined
    );
  if (actor.member === undefined) return true;
  const [member] = await activeMembers(db, row.asked_of).where({ user_id: actor.member.person_id }).forShare();
  return member !== undefined && (row.asked_role === null || member.role === row.asked_role);
}
