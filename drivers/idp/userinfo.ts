// Who the holder of an access token is (OpenID Connect Core §5.3). oidc-provider answers for tokens that it
// stores, those of programs that only sign people in. Tokens for the platform are JWTs, which it does not
// store: they are answered here. A token for an agent is refused: it is for that agent.
import type { Knex } from 'knex';
import type { KoaContextWithOIDC } from 'oidc-provider';
import type { AccessTokens } from './access-tokens.ts';
import { type Accounts, claimsOf } from './accounts.ts';
import { LoginError } from './port.ts';

/** Below the issuer. */
export const USERINFO_PATH = '/me';

export interface UserInfoDeps {
  db: Knex;
  /** For the platform. */
  tokens: AccessTokens;
  accounts: Accounts;
}

/** Middleware. What it does not answer is refused by the provider. */
export function userInfo(deps: UserInfoDeps) {
  return async (ctx: KoaContextWithOIDC, next: () => Promise<void>): Promise<void> => {
    const [, token] = /^Bearer ([\w-]+\.[\w-]+\.[\w-]+)$/i.exec(ctx.get('authorization')) ?? [];
    const claims = ctx.path === USERINFO_PATH && token !== undefined && /^(?:GET|POST)$/.test(ctx.method) ? await claimsFor(deps, token) : undefined;
    if (!claims) return next();
    ctx.set('cache-control', 'no-store');
    ctx.body = claims;
  };
}

async function claimsFor({ db, tokens, accounts }: UserInfoDeps, token: string): Promise<object | undefined> {
  try {
    const { subject, scopes = [], signIn } = await tokens.verify(token);
    if (signIn && 'id' in signIn && !(await holds(db, signIn.id))) return undefined;
    const account = await accounts.byId(subject);
    return account && { sub: subject, ...(scopes.includes('email') && claimsOf(account)) };
  } catch (error) {
    if (error instanceof LoginError) return undefined;
    throw error;
  }
}

async function holds(db: Knex, signInId: string): Promise<boolean> {
  return (await db('program_sign_ins').where({ sign_in_id: signInId }).whereRaw('sign_in_holds(sign_in_id)').first('sign_in_id')) !== undefined;
}
