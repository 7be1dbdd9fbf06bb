// What changes for the account of the caller, as it changes.
import { ACCOUNT_STREAM_SECONDS, MAX_ACCOUNT_STREAMS } from '#contract/runs/account-events.ts';
import type { AccountEvent } from '../../kernel/wakeups.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { Conflict } from '../../kernel/errors.ts';
import { requireUser } from '../../kernel/policy.ts';

/** Ends when `signal` aborts, or after a quarter of an hour. @throws Conflict too_many_streams */
export function followAccount(ctx: Ctx, i: { lastId: string | undefined; signal: AbortSignal }): AsyncGenerator<AccountEvent> {
  const { user_id } = requireUser(ctx, 'account.follow');
  const { accounts } = ctx.drivers.wakeups;
  if (accounts.readers(user_id) >= MAX_ACCOUNT_STREAMS)
    throw new Conflict('too_many_streams', `The account has ${MAX_ACCOUNT_STREAMS} streams of its events open: close one first`);
  return accounts.follow(user_id, i.lastId, AbortSignal.any([i.signal, AbortSignal.timeout(ACCOUNT_STREAM_SECONDS * 1000)]));
}
