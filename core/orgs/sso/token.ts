// A program on the person's machine turns the code of their sign-in into an access token. It has no refresh:
// the organization says when to sign in again.
import { createHash } from 'node:crypto';
import { z } from 'zod';
import { system } from '../../kernel/act.ts';
import { audit } from '../../kernel/audit.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { Forbidden, Gone } from '../../kernel/errors.ts';
import { newId } from '../../kernel/ids.ts';
import { hashSecret } from '../../kernel/secret.ts';
import { proofColumns, SsoProof } from '../../kernel/sso.ts';
import { redeemCode } from '../../identity/code/one-time.ts';
import { newPlatformToken } from '../../identity/secret.ts';
import { fromColumns, ssoEnd } from '../../identity/session/create.ts';

const Payload = z.object({ sso: SsoProof });

/** @throws Forbidden code_unknown; Gone code_gone */
export async function redeemSsoToken(
  ctx: Ctx,
  { code, verifier }: { code: string; verifier: string },
): Promise<{ access_token: string; token_type: 'Bearer'; expires_at: string }> {
  // The code and its verifier are the right to it.
  return system(ctx, async (ctx) => {
    const now = ctx.clock();
    const audience = createHash('sha256').update(verifier).digest('base64url');
    const redeemed = await redeemCode(ctx.db, { kind: 'sso_token', code, audience, by: 'program' }, now);
    if (redeemed.state === 'unknown') throw new Forbidden('code_unknown', 'This code was not issued to this program: sign in again');
    if (redeemed.state !== 'redeemed') throw new Gone('code_gone', 'This code was used or has expired: sign in again');
    const { sso } = Payload.parse(redeemed.row.payload);
    const expires_at = new Date(await ssoEnd(ctx.db, sso, now));
    const token = newPlatformToken();
    const token_id = newId('tok', now);
    const { user_id } = redeemed.row;
    await ctx.db('platform_tokens').insert({
      token_id,
      token_hash: hashSecret(token),
      kind: 'user',
      user_id,
      label: 'sign-in of an organization',
      created_at: new Date(now),
      expires_at,
      ...proofColumns(sso),
      ...fromColumns(ctx),
    });
    await audit(ctx, 'session.create', { platform_token: token_id }, { user_id, sso_connection: sso.connection_id });
    return { access_token: token, token_type: 'Bearer', expires_at: expires_at.toISOString() };
  });
}
