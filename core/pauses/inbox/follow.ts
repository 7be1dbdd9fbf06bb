// What changes for the account of the caller, as it changes.
import { ACCOUNT_STREAM_SECONDS, MAX_ACCOUNT_STREAMS } from '#contract/runs/account-events.ts';
import type { AccountEvent } from '../../kernel/wakeups.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { Conflict } from '../../kernel/errors.ts';
import { requireUser } from '../../kernel/policy.ts';

/** Members of an organization share its streams. */
const MEMBERS_AT_ONCE = 25;

/** Ends when `signal` aborts, or after a quarter of an hour. @throws Conflict too_many_streams */
export function followAccount(ctx: Ctx, i: { lastId: string | undefined; signal: AbortSignal }): AsyncGenerator<AccountEvent> {
  const { user_id, member } = requireUser(ctx, 'account.follow');
  const most = MAX_ACCOUNT_STREAMS * (member === undefined ? 1 : MEMBERS_AT_ONCE);
  const { accounts } = ctx.drivers.wakeups;
  if (accounts.readers(user_id) >= most) throw new Conflict('too_many_streams', `The account has ${most} streams of its events open: close one first`);
  return accounts.follow(user_id, i.lastId, AbortSignal.any([i.signal, AbortSignal.timeout(ACCOUNT_STREAM_SECONDS * 1000)]));
}
