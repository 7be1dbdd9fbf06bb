import type { Ctx } from '../../kernel/ctx.ts';
import { audit } from '../../kernel/audit.ts';
import { inTx } from '../../kernel/tx.ts';
import { endSession } from './create.ts';

/** Ends the session of a cookie's token; false when there was none. */
export async function logout(ctx: Ctx, token: string | undefined): Promise<boolean> {
  if (token === undefined) return false;
  // no may: the session token is the right to it.
  return inTx(ctx, async (tx, txCtx) => {
    const sessionId = await endSession(tx, token, ctx.clock());
    if (sessionId === undefined) return false;
    await audit(tx, txCtx, 'session.end', sessionId);
    return true;
  });
}
