// Where forms of the provider's own pages may end up. Browsers hold a form's answer, redirects included,
// against the policy of its page: of a form that signs out, the client's address after signing out; of one
// that brings an answer to the client (response_mode=form_post), the client's.
import type { KoaContextWithOIDC } from 'oidc-provider';
import { originOf } from './interactions.ts';

const OURS = "form-action 'self'";

/** Middleware. `oidc` is absent where no route of the provider was reached. */
export async function allowFormTargets(
  ctx: Pick<KoaContextWithOIDC, 'response' | 'set'> & { oidc?: KoaContextWithOIDC['oidc'] },
  next: () => Promise<void>,
): Promise<void> {
  await next();
  const { post_logout_redirect_uri: afterwards, response_mode: mode, redirect_uri: back } = ctx.oidc?.params ?? {};
  const [target] = originOf(afterwards ?? (mode === 'form_post' ? back : undefined));
  const policy = ctx.response.get('content-security-policy');
  if (target !== undefined && policy.includes(OURS) && !policy.includes(`${OURS} ${target}`))
    ctx.set('content-security-policy', policy.replace(OURS, `${OURS} ${target}`));
}
