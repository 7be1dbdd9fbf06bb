import type { Ctx } from '../../ctx.ts';
import { audit } from '../../audit/record.ts';
import { inTx } from '../../tx.ts';
import { endSession } from './create.ts';

/** Ends the session of a cookie's token; false when there was none. */
export async function logout(ctx: Ctx, token: string | undefined): Promise<boolean> {
  if (token === undefined) return false;
  return inTx(ctx, async (tx, txCtx) => {
    const sessionId = await endSession(tx, token, ctx.clock());
    if (sessionId === undefined) return false;
    await audit(tx, txCtx, 'session.end', sessionId);
    return true;
  });
}
