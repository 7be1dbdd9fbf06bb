import type { Knex } from 'knex';
import type { z } from 'zod';
import type { MeOut } from '#contract/identity/auth.ts';
import { type Actor, type Ctx, personOf } from '../../kernel/ctx.ts';
import { requireUser } from '../../kernel/policy.ts';
import { Unauthorized } from '../../kernel/errors.ts';
import { presentUser } from './present.ts';

type Me = z.input<typeof MeOut>;

/** The caller; by an agent's session its person, whose rights as an operator are none of the agent's business. */
export async function getMe(ctx: Ctx): Promise<Me> {
  const { actor } = ctx;
  const user_id = actor.kind === 'agent_session' ? actor.user_id : personOf(requireUser(ctx, 'user.read'));
  const row = await ctx.db('users').where({ user_id }).first();
  if (!row) throw new Unauthorized('user_gone', 'this account no longer exists: sign in again');
  return { ...presentUser({ ...row, operator: row.operator && isOperator(actor) }), acts_only_for: await actsOnlyFor(ctx.db, actor) };
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
