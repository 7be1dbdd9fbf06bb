// The embedded identity provider: oidc-provider under the API's own address, at the path of its issuer.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { JWK } from 'jose';
import type { Knex } from 'knex';
import { Provider } from 'oidc-provider';
import type { Vault } from '../vault/port.ts';
import { agentOfResource } from '#contract/identity/resources.ts';
import { ensureLocalAccounts, localAccounts } from './accounts.ts';
import { endSessions, knexAdapter } from './adapter.ts';
import { onlyIds, onlyWhereBegun } from './begun-here.ts';
import { clientDocuments, type ClientDocumentOptions } from './client-documents.ts';
import { createAccessTokens } from './access-tokens.ts';
import { configurationFor, ID_TOKEN_ALGORITHMS, resourceServerFor } from './configuration.ts';
import { prefillUserCode } from './device.ts';
import { allowFormTargets } from './form-targets.ts';
import { guessLimits } from './guess-limits.ts';
import { interactions } from './interactions.ts';
import { signingKeys } from './keys.ts';
import { setLogoutRules } from './logout.ts';
import { noteSignIn } from './sign-ins.ts';
import { baselineHeaders } from './pages.ts';
import { registerLocalGrant } from './local-grant.ts';
import { registeredClients } from './registered-clients.ts';
import { registration } from './registration.ts';
import { signUpOf } from './sign-up.ts';
import { userInfo } from './userinfo.ts';

export interface IdpOptions {
  db: Knex;
  vault: Vault;
  /** The API's address without a path, e.g. http://localhost:8080; audience of the access tokens. */
  baseUrl: string;
  /** The issuer, e.g. http://localhost:8080/idp; its path is where requests are taken. */
  issuer: string;
  /** What follows `<agent>.` in agents' addresses: a sign-in that began there ends there. */
  agentsDomain?: string | undefined;
  /** Where the local accounts' passwords are written at first start. */
  accountsFile: string;
  /** Key file of the local grant; without it the grant does not exist. */
  localLoginKeyFile?: string | undefined;
  /**
   * Whether people may make accounts; undefined: those at this machine, where the issuer is of this machine.
   */
  signUp?: boolean | undefined;
  /**
   * False: a new account could do nothing here, so it is not made: that of this address, or without one any.
   * Default: it can.
   */
  serves?: ((email?: string) => Promise<boolean>) | undefined;
  /** Believe X-Forwarded-For (a proxy of ours stands in front). Default false. */
  trustProxy?: boolean;
  /** Which hosts of this installation may describe clients. */
  clients?: ClientDocumentOptions | undefined;
  /** Called with failures inside the provider; they contain no secrets. */
  onError?: (error: Error) => void;
}

export interface Idp {
  issuer: string;
  /** Public signing keys. */
  jwks: { keys: JWK[] };
  /** Secret of the client svc-dashboard, for the API's own login. */
  webClientSecret: string;
  /** Signs a user out in all browsers. */
  endSessions(subject: string): Promise<void>;
  /** Answers a request under the issuer's path; false when the path is not the provider's. */
  handle(request: IncomingMessage, response: ServerResponse): boolean;
}

/** As browsers check where a form may lead to, by redirects too. */
function agentsOf({ baseUrl, agentsDomain }: IdpOptions): string[] {
  return agentsDomain === undefined ? [] : [`${new URL(baseUrl).protocol}//*.${agentsDomain}`];
}

export async function createIdp(options: IdpOptions): Promise<Idp> {
  const { db, vault, baseUrl, issuer } = options;
  await ensureLocalAccounts(db, options.accountsFile);
  const accounts = localAccounts(db);
  const mayMake = signUpOf(options.signUp, issuer);
  const keys = await signingKeys(db, vault);
  const documents = clientDocuments(options.clients ?? {});
  const registered = registeredClients(db);
  const fetches = guessLimits(db, 'idp_client_document', { account: 20, address: 60 });
  const agentOf = (resource: string) =>
    options.agentsDomain === undefined ? undefined : agentOfResource({ baseUrl, agentsDomain: options.agentsDomain }, resource);
  const webClientSecret = Buffer.from(await vault.derive('idp client svc-dashboard')).toString('base64url');
  const provider = new Provider(
    issuer,
    configurationFor({
      issuer,
      resource: baseUrl,
      webClientSecret,
      webRedirectUri: `${baseUrl}/v1/auth/oidc/callback`,
      webHome: `${baseUrl}/`,
      cookieKeys: [Buffer.from(await vault.derive('idp cookies')).toString('base64url')],
      jwks: keys.private,
      adapter: knexAdapter(db, vault, async (id) => (await registered.find(id)) ?? documents.find(id)),
      accounts,
      localGrant: options.localLoginKeyFile !== undefined,
      signUp: mayMake !== 'nobody',
      documents,
      noteSignIn: noteSignIn(db, issuer),
      mayFetch: async (ip, clientId) => (await fetches.begin(ip, clientId)) === undefined,
      agentOf,
    }),
  );
  setLogoutRules(provider, ID_TOKEN_ALGORITHMS);
  // So that X-Forwarded-Proto counts, which mountAt sets; what else a caller may claim by such headers, it
  // takes away.
  provider.proxy = true;
  // Only the last address was added by our own proxy; the ones before it are the caller's word.
  provider.maxIpsCount = 1;
  provider.on('server_error', (_ctx, error) => options.onError?.(error));
  provider.on('grant.success', ({ oidc }) => void registered.used(oidc.client?.clientId ?? '').catch((error: Error) => options.onError?.(error)));
  // Koa's own reporter writes to stderr, past the log.
  const application: NodeJS.EventEmitter = provider;
  application.on('error', (error: Error & { expose?: boolean }) => error.expose === true || options.onError?.(error));
  const headers = baselineHeaders(issuer.startsWith('https:'));
  provider.use(async (ctx, next) => {
    ctx.set(headers);
    await next();
  });
  provider.use(allowFormTargets);
  provider.use(userInfo({ db, tokens: createAccessTokens({ issuer, audience: baseUrl, jwks: keys.public }), accounts }));
  provider.use(registration({ provider, clients: registered, limits: guessLimits(db, 'idp_registration', { account: 30, address: 30 }) }));
  provider.use(onlyIds);
  if (issuer.startsWith('https:')) provider.use(onlyWhereBegun);
  provider.use(prefillUserCode);
  provider.use(
    interactions({
      provider,
      agentOf,
      accounts,
      limits: guessLimits(db, 'idp_sign_in'),
      signUp: mayMake,
      serves: options.serves ?? (async () => true),
      newAccounts: guessLimits(db, 'idp_sign_up', { account: 5, address: 10 }),
      origin: new URL(issuer).origin,
      agents: agentsOf(options),
    }),
  );
  if (options.localLoginKeyFile !== undefined) {
    registerLocalGrant({
      provider,
      accounts,
      // 256 bits cannot be guessed; this only keeps a runaway script from filling the log. Correct keys count
      // while they are checked.
      limits: guessLimits(db, 'idp_local_grant', { account: 600, address: 600 }),
      keyFile: options.localLoginKeyFile,
      resource: baseUrl,
      resourceServer: resourceServerFor(baseUrl),
    });
  }
  const handle = mountAt(issuer, provider, options.trustProxy ?? false);
  return { issuer, jwks: keys.public, webClientSecret, endSessions: (subject) => endSessions(db, subject), handle };
}

/** Where metadata is looked for by RFC 8414: the issuer's path comes after the well-known one. */
function belowMount(url: string, mount: string): string {
  const [, wellKnown, path] = /^(\/\.well-known\/(?:oauth-authorization-server|openid-configuration))(\/[^?]*)(?:\?|$)/.exec(url) ?? [];
  return wellKnown !== undefined && (path === mount || path === `${mount}/`) ? mount + wellKnown : url;
}

/**
 * oidc-provider is an application of its own: it gets its requests with the mount path taken off, as Koa and
 * Connect do it.
 */
function mountAt(issuer: string, provider: Provider, trustProxy: boolean): Idp['handle'] {
  const { pathname: mount, host, origin, protocol } = new URL(issuer);
  const callback = provider.callback();
  return (request, response) => {
    const url = belowMount(request.url ?? '/', mount);
    if (url !== mount && !url.startsWith(`${mount}/`)) return false;
    const cameAs = (trustProxy ? request.headers['x-forwarded-host'] : undefined) ?? request.headers.host;
    if (cameAs !== host) {
      // Cookies belong to one host name; a browser that came by another (127.0.0.1, say) is sent to ours
      // first.
      if (request.method === 'GET' && /^\/(?:auth|device|session\/end)(?:[/?]|$)/.test(url.slice(mount.length))) {
        response.writeHead(307, { location: `${origin}${url}`, 'cache-control': 'no-store' }).end();
        return true;
      }
    }
    // Addresses in our answers and what cookies may be sent follow from the issuer, not from what a caller or
    // a proxy says.
    request.headers.host = host;
    request.headers['x-forwarded-proto'] = protocol.slice(0, -1);
    delete request.headers['x-forwarded-host'];
    if (!trustProxy) delete request.headers['x-forwarded-for'];
    Object.assign(request, { originalUrl: url });
    request.url = url.slice(mount.length) || '/';
    void callback(request, response);
    return true;
  };
}
