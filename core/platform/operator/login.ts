// An operator signs in at the identity provider again, and shows it: what it says now counts, not what is
// remembered.
import type { z } from 'zod';
import type { OperatorLoginIn, OperatorLoginOut } from '#contract/platform/operator-login.ts';
import { verified } from '../../identity/authenticate.ts';
import { ensureUser } from '../../identity/user/ensure.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { Forbidden, Unauthorized } from '../../kernel/errors.ts';
import { requireOperator } from '../../kernel/policy.ts';
import { act, done } from '../../kernel/act.ts';

/**
 * @throws Unauthorized token_invalid, token_expired; Forbidden another_account, operator_required;
 * Unavailable identity_provider_unreachable
 */
export async function loginOperator(ctx: Ctx, { access_token }: z.infer<typeof OperatorLoginIn>): Promise<z.infer<typeof OperatorLoginOut>> {
  requireOperator(ctx, 'operator.login');
  const { accessTokens } = ctx.drivers;
  if (!accessTokens) throw new Unauthorized('token_invalid', 'There is no identity provider here: no access token is valid');
  const { identity } = await verified({ ...ctx, accessTokens }, access_token);
  const row = await act(ctx, 'operator.login', requireOperator, async (ctx, operator) => {
    const { issuer, subject, email, name } = identity;
    const known = await ctx.db('users').where({ user_id: operator.user_id, issuer, subject }).first('user_id');
    if (!known) throw new Forbidden('another_account', 'This token is of another account: sign in as the account that asks, and send its token');
    const user = await ensureUser(ctx.db, { issuer, subject, email: email ?? operator.email, name, operator: identity.operator }, ctx.clock());
    return done({ user: operator.user_id }, { operator: user.operator }, user);
  });
  if (!row.operator) throw new Forbidden('operator_required', 'The identity provider does not call this account an operator any more: ask another operator');
  return { user_id: row.user_id, email: row.email, issuer: row.issuer, operator: true, expires_at: new Date(identity.expiresAt).toISOString() };
}
