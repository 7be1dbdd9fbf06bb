// A link that signs a browser in, made with a bearer token.
import { type Ctx, personOf } from '../../kernel/ctx.ts';
import { requireUser } from '../../kernel/policy.ts';
import { audit } from '../../kernel/audit.ts';
import { Forbidden } from '../../kernel/errors.ts';
import { inTx } from '../../kernel/tx.ts';
import { mintCode } from '../code/one-time.ts';
import { hashSecret } from '../../kernel/secret.ts';

export async function createCliSession(ctx: Ctx, redirectTo: string): Promise<{ code: string; redeem_url: string; expires_at: string }> {
  const user = requireUser(ctx, 'cli_session.create');
  if (user.via !== 'bearer') throw new Forbidden('bearer_required', 'a browser session cannot make sign-in links: use an access token, e.g. after `svc login`');
  return inTx(ctx, async (ctx) => {
    const { code, expiresAt } = await mintCode(
      ctx.db,
      { kind: 'cli_session', userId: personOf(user), payload: { redirect_to: redirectTo, sso: user.sso } },
      ctx.clock(),
    );
    await audit(ctx, 'cli_session.create', { cli_session: hashSecret(code) });
    return { code, redeem_url: `${ctx.config.baseUrl}/v1/auth/cli-session/redeem?code=${code}`, expires_at: expiresAt.toISOString() };
  });
}
