// Identity as the composition root takes it: the embedded provider or another issuer, who calls, how people
// sign in.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Knex } from 'knex';
import { WEB_CLIENT_ID } from '#contract/identity/oauth.ts';
import type { Ctx, PlatformConfig } from '#core/kernel/ctx.ts';
import { isInvited, servesStrangers } from '#core/kernel/strangers.ts';
import { createAuthenticator } from '#core/identity/authenticate.ts';
import { type AccessTokens, createAccessTokens } from '#drivers/idp/access-tokens.ts';
import { createLoginProvider } from '#drivers/idp/login.ts';
import type { LoginProvider } from '#drivers/idp/port.ts';
import { createIdp, type Idp } from '#drivers/idp/provider.ts';
import type { Vault } from '#drivers/vault/port.ts';
import type { Authenticate } from '../../http/deps.ts';
import type { Front } from '../../server.ts';
import { platformResource } from './platform-resource.ts';
import { confirmPage } from './confirm-page.ts';
import { consentPages } from './consent-page.ts';

export interface IdentityOptions {
  config: PlatformConfig;
  db: Knex;
  vault: Vault;
  /** An issuer under our own address is the embedded provider. */
  issuer: string;
  secretsDir: string;
  /** The client that an outside issuer knows us by; without it there is no sign-in with a browser. */
  client?: { id: string; secret: string } | undefined;
  /** What an outside issuer puts into `aud`; default: our address. */
  audience?: string | undefined;
  /** Email addresses of operators, for an outside issuer. */
  operators?: readonly string[] | undefined;
  /** Hosts of this installation that may describe clients, for the embedded provider. */
  clientHosts?: readonly string[] | undefined;
  /** Whether people may make accounts at the embedded provider; undefined: those at this machine. */
  signUp?: boolean | undefined;
  /** A proxy of ours stands in front and says who calls. */
  trustProxy?: boolean;
  onError: (error: Error) => void;
}

export interface Identity {
  authenticate: Authenticate;
  /** For Drivers. */
  accessTokens: AccessTokens;
  login: LoginProvider | undefined;
  /** For the server's fronts. `ctx`: what anonymous pages read with. */
  fronts(ctx: Ctx): Front[];
}

export async function createIdentity(options: IdentityOptions): Promise<Identity> {
  const { config, db, issuer, operators } = options;
  const clock = Date.now;
  const idp = issuer.startsWith(`${config.baseUrl}/`) ? await embedded(options) : undefined;
  const client = idp ? { id: WEB_CLIENT_ID, secret: idp.webClientSecret } : options.client;
  const accessTokens = createAccessTokens({
    issuer,
    audience: options.audience ?? config.baseUrl,
    clientId: client?.id,
    jwks: idp?.jwks,
    named: idp !== undefined,
    operators,
    clock,
  });
  const login =
    client &&
    createLoginProvider({
      issuer,
      clientId: client.id,
      clientSecret: client.secret,
      redirectUri: `${config.baseUrl}/v1/auth/oidc/callback`,
      homeUri: `${config.baseUrl}/`,
      operators,
      // Its own accounts are the operator's decision (SVC_SIGNUP).
      unverified: idp !== undefined,
      endSessions: idp?.endSessions,
      clock,
    });
  const authenticate = createAuthenticator({ db, accessTokens, vault: options.vault, clock });
  return {
    authenticate,
    accessTokens,
    login,
    fronts: (ctx) => [...(idp ? [idp.handle] : []), platformResource({ resource: config.baseUrl, issuer }), confirmPage(ctx), consentPages(ctx, authenticate)],
  };
}

async function embedded({ config, db, vault, issuer, secretsDir, clientHosts, signUp, onError, trustProxy = false }: IdentityOptions): Promise<Idp> {
  const key = join(secretsDir, 'local-login.key');
  return createIdp({
    db,
    vault,
    baseUrl: config.baseUrl,
    agentsDomain: config.agentsDomain,
    issuer,
    accountsFile: join(secretsDir, 'local-accounts.json'),
    localLoginKeyFile: existsSync(key) ? key : undefined,
    trustProxy,
    signUp,
    serves: async (email) => (await servesStrangers(db)) || isInvited(db, email),
    clients: { localHosts: clientHosts },
    onError,
  });
}
