// Which account pays for a call of a skill that has a price: the one place that decides it.
import type { Knex } from 'knex';
import type { AgentRoute } from '../../agents/route/resolve.ts';
import { type Actor, personOf as personBehind } from '../../kernel/ctx.ts';
import { Unauthorized } from '../../kernel/errors.ts';

/**
 * The account that pays: for a user their own; for a run that of its user, or without a user that of its
 * agent's owner; for a token that of the agent's owner. Null: the call is free, because payer and earner are
 * the same account, or the platform itself calls.
 * @throws Unauthorized account_required
 */
export async function payerOf(_db: Knex, actor: Actor, route: Pick<AgentRoute, 'agentName' | 'ownerId'>): Promise<string | null> {
  if (actor.kind === 'platform') return null;
  const account = accountOf(actor);
  if (account === undefined)
    throw new Unauthorized(
      'account_required',
      `This skill of ${route.agentName} costs money, and the call names no account that pays: send an access token of yours`,
    );
  return account === route.ownerId ? null : account;
}

function accountOf(actor: Actor): string | undefined {
  if (actor.kind === 'user') return actor.user_id;
  if (actor.kind === 'run') return actor.user_id ?? actor.owner_id;
  return actor.kind === 'api_token' ? actor.owner_id : undefined;
}

/**
 * The person who calls, or for whom the run works, also where an organization pays for them; null: nobody of
 * ours.
 */
export function callingPerson(actor: Actor): string | null {
  if (actor.kind === 'user') return personBehind(actor);
  return actor.kind === 'run' ? (actor.person_id ?? actor.user_id) : null;
}
