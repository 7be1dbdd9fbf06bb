// Whether an account may make one more call: what operators forbid it, and how many calls of it an operator
// allows in a minute.
import type { Knex } from 'knex';
import type { AgentRoute } from '../../agents/route/resolve.ts';
import { controlOf, refuseStrangers, withControl } from '../../accounts/control.ts';
import type { Actor } from '../../kernel/ctx.ts';
import { TooManyRequests } from '../../kernel/errors.ts';
import { requireCallOf } from '../../kernel/policy.ts';

const MINUTE_SECONDS = 60;

/**
 * Only an account with a limit of its own costs a write. @throws Forbidden account_suspended, not_permitted,
 * kvm_required; TooManyRequests call_limit
 */
export async function admitCall(db: Knex, actor: Actor, route: Pick<AgentRoute, 'ownerId'>, now: number): Promise<void> {
  await refuseStrangers(db, actor, route.ownerId);
  requireCallOf(await withControl(db, actor), route.ownerId);
  const account = payerOf(actor);
  if (account === null) return;
  const { limits } = await controlOf(db, account);
  if (limits.calls_per_minute !== null) await takeCall(db, account, limits.calls_per_minute, now);
}

/** Whose limit the call counts against. */
function payerOf(actor: Actor): string | null {
  if (actor.kind === 'run') return actor.user_id ?? actor.owner_id;
  return actor.kind === 'user' ? actor.user_id : actor.kind === 'api_token' ? actor.owner_id : null;
}

/**
 * In any minute, by the second; what is further ahead was counted before the machine's clock was set back.
 * Counts in one statement, so that of racing calls no more than `most` pass; a refused call does not count.
 */
async function takeCall(db: Knex, account: string, most: number, now: number): Promise<void> {
  const second = Math.floor(now / 1_000);
  const { rowCount } = await db.raw<{ rowCount: number }>(
    `update control_policies p set recent_calls = (
       select jsonb_object_agg(at, calls) from (
         select at, sum(calls) as calls from (select key as at, value::int as calls from jsonb_each(p.recent_calls) union all select :second, 1) c
         where at::bigint between :oldest::bigint and :latest::bigint group by at
       ) kept)
     where user_id = :account
       and (select coalesce(sum(value::int), 0) from jsonb_each(p.recent_calls) where key::bigint between :oldest::bigint and :latest::bigint) < :most::int`,
    { account, second: String(second), oldest: second - MINUTE_SECONDS, latest: second + MINUTE_SECONDS, most },
  );
  if (rowCount > 0) return;
  const wait = await secondsToWait(db, account, second);
  throw new TooManyRequests('call_limit', `An operator allows this account ${most} calls a minute: try again in ${wait} s`, { retry_after_seconds: wait });
}

/** Until the oldest call that counts does not count any more. */
async function secondsToWait(db: Knex, account: string, second: number): Promise<number> {
  const row = await db('control_policies').where({ user_id: account }).first('recent_calls');
  const counted = Object.keys(Object(row?.recent_calls)).map(Number).filter((at) => Math.abs(at - second) <= MINUTE_SECONDS); // prettier-ignore
  return Math.max(1, Math.min(second, ...counted) + MINUTE_SECONDS + 1 - second);
}
