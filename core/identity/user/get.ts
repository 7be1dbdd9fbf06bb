import type { Knex } from 'knex';
import type { z } from 'zod';
import type { MeOut } from '#contract/identity/auth.ts';
import { type Actor, type AgentSessionActor, type Ctx, personOf, type UserActor } from '../../kernel/ctx.ts';
import { requireUser } from '../../kernel/policy.ts';
import { Unauthorized } from '../../kernel/errors.ts';
import { callerOf, callingAt } from '../../runs/run/caller.ts';
import { presentUser } from './present.ts';

type Me = z.input<typeof MeOut>;
type Identity = Required<Pick<Me, 'org_id' | 'org_slug' | 'scopes'>>;

/**
 * The caller; by an agent's session its person, whose rights as an operator are none of the agent's business.
 */
export async function getMe(ctx: Ctx): Promise<Me> {
  const { actor } = ctx;
  const user_id = actor.kind === 'agent_session' ? actor.user_id : personOf(requireUser(ctx, 'user.read'));
  const row = await ctx.db('users').where({ user_id }).first();
  if (!row) throw new Unauthorized('user_gone', 'this account no longer exists: sign in again');
  const identity = actor.kind === 'agent_session' ? await at(ctx, actor) : { org_id: null, org_slug: null, scopes: [] };
  return {
    ...presentUser({ ...row, operator: row.operator && isOperator(actor) }),
    sub: user_id,
    account_number: row.account_number,
    ...identity,
    acts_only_for: await actsOnlyFor(ctx.db, actor),
  };
}

/** As the agent is told with a request of theirs. */
async function at({ db }: Ctx, { agent_id, user_id, email, limited }: AgentSessionActor): Promise<Identity> {
  const agent = await db('agents').where({ agent_id }).first('owner_id', 'live_deploy_id');
  const route = { agentId: agent_id, ownerId: agent?.owner_id ?? '', deployId: agent?.live_deploy_id ?? '' };
  const person: UserActor = { kind: 'user', user_id, email, operator: false, via: 'agent_session' };
  const member = limited && { user_id: limited.organization_id, member: limited, limited_to: limited.organization_id };
  const caller = await callerOf(db, callingAt(route, { ...person, ...member }));
  return { org_id: caller?.org_id ?? null, org_slug: caller?.org_slug ?? null, scopes: caller?.scopes ?? [] };
}

/** By an organization's provider nobody is an operator. */
export function isOperator(actor: Actor): boolean {
  return actor.kind === 'user' && actor.operator;
}

/** Null: it acts for all that is the person's. */
export async function actsOnlyFor(db: Knex, actor: Actor): Promise<Me['acts_only_for']> {
  const organization_id = actor.kind === 'user' ? actor.limited_to : actor.kind === 'agent_session' ? actor.limited?.organization_id : undefined;
  if (organization_id === undefined) return null;
  const row = await db('organizations').where({ organization_id }).first('slug', 'name');
  return row ?? null;
}
