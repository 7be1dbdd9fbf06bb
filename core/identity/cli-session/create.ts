// A link that signs a browser in, made with a bearer token.
import { type Ctx, personOf } from '../../kernel/ctx.ts';
import { requireUser } from '../../kernel/policy.ts';
import { act, done } from '../../kernel/act.ts';
import { Forbidden } from '../../kernel/errors.ts';
import { mintCode } from '../code/one-time.ts';
import { hashSecret } from '../../kernel/secret.ts';

export async function createCliSession(ctx: Ctx, redirectTo: string): Promise<{ code: string; redeem_url: string; expires_at: string }> {
  return act(ctx, 'cli_session.create', requireUser, async (ctx, user) => {
    if (user.via !== 'bearer')
      throw new Forbidden('bearer_required', 'a browser session cannot make sign-in links: use an access token, e.g. after `svc login`');
    const { code, expiresAt } = await mintCode(
      ctx.db,
      { kind: 'cli_session', userId: personOf(user), payload: { redirect_to: redirectTo, sso: user.sso } },
      ctx.clock(),
    );
    const redeem_url = `${ctx.config.baseUrl}/v1/auth/cli-session/redeem?code=${code}`;
    return done({ cli_session: hashSecret(code) }, {}, { code, redeem_url, expires_at: expiresAt.toISOString() });
  });
}
