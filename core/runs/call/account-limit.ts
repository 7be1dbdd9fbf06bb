// Whether an account may make one more call: what operators forbid it, and how many calls of it an operator allows in a minute.
import type { Knex } from 'knex';
import type { AgentRoute } from '../../agents/route/resolve.ts';
import { controlOf, refuseStrangers, withControl } from '../../kernel/control.ts';
import type { Actor } from '../../kernel/ctx.ts';
import { TooManyRequests } from '../../kernel/errors.ts';
import { requireCallOf } from '../../kernel/policy.ts';

const MINUTE_MS = 60_000;

/** Only an account with a limit of its own costs a write. @throws Forbidden account_suspended, not_permitted, kvm_required; TooManyRequests call_limit */
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

/** Counts in one statement, so that of racing calls no more than `most` pass; a refused call does not count. */
async function takeCall(db: Knex, account: string, most: number, now: number): Promise<void> {
  const minute = Math.floor(now / MINUTE_MS);
  const end = (minute + 1) * MINUTE_MS;
  const { rows } = await db.raw<{ rows: unknown[] }>(
    `insert into rate_limits (key, points, expire) select :key, 1, :end::bigint where :most::int > 0
     on conflict (key) do update
       set points = case when rate_limits.expire = excluded.expire then rate_limits.points + 1 else 1 end, expire = excluded.expire
       where rate_limits.expire is distinct from excluded.expire or rate_limits.points < :most::int
     returning 1`,
    { key: `calls:${account}`, end, most },
  );
  if (rows.length > 0) return;
  const wait = Math.max(1, Math.ceil((end - now) / 1000));
  throw new TooManyRequests('call_limit', `An operator allows this account ${most} calls a minute: try again in ${wait} s`, { retry_after_seconds: wait });
}
