// Before a call of an agent that requires account access: the platform funds the first ones of each account,
// then the caller needs a model of their own.
import type { Knex } from 'knex';
import { pathTo } from '#contract/path-to.ts';
import type { AgentRoute } from '../../agents/route/resolve.ts';
import type { Actor, Ctx } from '../../kernel/ctx.ts';
import { Conflict, Unauthorized } from '../../kernel/errors.ts';
import { fundedCalls } from './funded.ts';

type Route = Pick<AgentRoute, 'agentId' | 'agentName' | 'ownerId' | 'accountAccess'>;

/**
 * Counts these calls, all or none. An agent that does not require account access costs nothing here. The last
 * check of a call: what is refused for another reason is not counted; what is counted stays counted, whatever
 * the agent answers.
 * @throws Unauthorized account_required; Conflict account_access_used_up: 409 as no_model, since every route
 * that calls declares it
 */
export async function takeAccountCalls({ db, config, clock }: Pick<Ctx, 'db' | 'config' | 'clock'>, route: Route, actor: Actor, calls = 1): Promise<void> {
  if (!route.accountAccess || actor.kind === 'platform' || calls === 0) return;
  const account = accountOf(actor);
  const agent = route.agentName;
  if (account === undefined) throw new Unauthorized('account_required', `${agent} is for signed-in callers: send an access token of your account`);
  if (account === route.ownerId) return;
  const funded = await fundedCalls(db, account, clock());
  if ((await count(db, { agent: route.agentId, account, calls, funded })) || (await hasOwnModel(db, account))) return;
  throw new Conflict(
    'account_access_used_up',
    `The ${funded} calls of ${agent} that the platform funds are used up: add a model credential of your own with "svc models set"`,
    { agent, platform_skill_calls: funded, after_trial: 'byok', setup_url: setupUrl(config) },
  );
}

/** Where a caller adds a credential. */
export function setupUrl(config: Ctx['config']): string {
  return config.baseUrl + pathTo('GET /v1/me/llm-creds');
}

export async function hasOwnModel(db: Knex, account: string): Promise<boolean> {
  return (await db('llm_credentials').where({ user_id: account }).first('credential_id')) !== undefined;
}

/**
 * In one statement, so that calls at the same time are counted one after the other. False: not all of them
 * are left.
 */
async function count(db: Knex, i: { agent: string; account: string; calls: number; funded: number }): Promise<boolean> {
  const { rows } = await db.raw<{ rows: unknown[] }>(
    `insert into account_access (user_id, agent_id, used) select :account, :agent, :calls::integer where :calls <= :funded
     on conflict (user_id, agent_id) do update set used = account_access.used + excluded.used, updated_at = now()
       where account_access.used + excluded.used <= :funded
     returning used`,
    i,
  );
  return rows.length > 0;
}

/**
 * The account that the call acts on; undefined: none. A run without a user acts on the account of its agent's
 * owner, as a token of an agent does.
 */
function accountOf(actor: Actor): string | undefined {
  if (actor.kind === 'user') return actor.user_id;
  if (actor.kind === 'run') return actor.user_id ?? actor.owner_id;
  return actor.kind === 'api_token' ? actor.owner_id : undefined;
}
