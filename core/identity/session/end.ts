import type { Ctx, TxCtx } from '../../kernel/ctx.ts';
import { system } from '../../kernel/act.ts';
import { audit } from '../../kernel/audit.ts';
import { endSession } from './create.ts';
import { findSession, type BrowserSession } from './find.ts';

/**
 * Ends the session of a cookie's token, or with `everywhere` all sessions of its account (all of its kind
 * where it acts for one organization); false when there was none.
 */
export async function logout(ctx: Ctx, { token, everywhere }: { token: string | undefined; everywhere: boolean }): Promise<boolean> {
  if (token === undefined) return false;
  const account = everywhere ? await findSession(ctx.db, token, ctx.clock()) : undefined;
  const { login } = ctx.drivers;
  // At the provider first: a browser that is signed in there is signed in here with one click.
  if (account && account.proof.limited_to === undefined && account.user.issuer === login?.issuer) await login.endSessions?.(account.user.subject);
  // The session token is the right to it.
  return system(ctx, async (ctx) => {
    const sessionId = await endSession(ctx.db, token, ctx.clock());
    if (sessionId === undefined) return false;
    if (account) await endAll(ctx, account);
    await audit(ctx, 'session.end', { web_session: sessionId }, { everywhere });
    return true;
  });
}

/** At this address and at those of agents. */
async function endAll(ctx: TxCtx, { user: { user_id }, proof }: BrowserSession): Promise<void> {
  const ended = { revoked_at: new Date(ctx.clock()) };
  const limited = proof.limited_to !== undefined && proof.sso ? { sso_connection_id: proof.sso.connection_id, sso_whole_account: false } : {};
  await ctx.db('web_sessions').where({ user_id, ...limited }).whereNull('revoked_at').update(ended); // prettier-ignore
  await ctx.db('platform_tokens').where({ user_id, kind: 'agent_session', ...limited }).whereNull('revoked_at').update(ended); // prettier-ignore
}
