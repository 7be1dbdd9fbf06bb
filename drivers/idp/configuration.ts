// How oidc-provider is set up: two clients of our own, others by their documents, PKCE always, rotating
// refresh tokens; JWT access tokens in EdDSA for the API (our own clients) or for one agent (the others); ID
// tokens in EdDSA or RS256; access tokens only for the userinfo address, for others that sign people in.
import { errors, type AdapterFactory, type ClientMetadata, type Configuration, type KoaContextWithOIDC, type ResourceServer } from 'oidc-provider';
import type { JWK } from 'jose';
import { CLI_CLIENT_ID, LOCAL_GRANT, OPERATOR_CLAIM, RESOURCE_SCOPES, SCOPES, SIGN_IN_CLAIM, TTL, WEB_CLIENT_ID } from '#contract/identity/oauth.ts';
import { AGENT_SCOPE } from '#contract/identity/resources.ts';
import { type Accounts, claimsOf } from './accounts.ts';
import { INTERACTION_COOKIE, noteBegun, RESUME_COOKIE, sessionCookieOf } from './begun-here.ts';
import type { ClientDocuments } from './client-documents.ts';
import { consentPolicy, grantedBefore, isOwnClient } from './consent.ts';
import { deviceFlow, signOut } from './device.ts';
import { messagePage, pageHeaders } from './pages.ts';
import { REGISTRATION_PATH } from './registration.ts';
import { createPrompt } from './sign-up.ts';
import { type NoteSignIn, unusedSeconds } from './sign-ins.ts';
import { USERINFO_PATH } from './userinfo.ts';

/** OpenID Connect Discovery §3 wants RS256: some clients know nothing else. */
export const ID_TOKEN_ALGORITHMS = ['RS256', 'EdDSA'] as const;

export interface ConfigurationInput {
  issuer: string;
  /** Audience of access tokens: the API's address. */
  resource: string;
  webClientSecret: string;
  webRedirectUri: string;
  webHome: string;
  cookieKeys: string[];
  jwks: { keys: JWK[] };
  adapter: AdapterFactory;
  accounts: Accounts;
  localGrant: boolean;
  /** People may make accounts. */
  signUp: boolean;
  documents: ClientDocuments;
  noteSignIn: NoteSignIn;
  /** Whether a client at that address may have a document fetched now (rate limit). */
  mayFetch: (ip: string, clientId: string) => Promise<boolean>;
  /** Of a resource indicator that names an agent, the audience. */
  agentOf: (resource: string) => { audience: string } | undefined;
}

/** Facts of a protected resource: the API, or an agent. */
export type ResourceServerFor = () => ResourceServer;

export function resourceServerFor(audience: string, scope = RESOURCE_SCOPES.join(' ')): ResourceServerFor {
  return () => ({
    audience,
    scope,
    accessTokenFormat: 'jwt',
    accessTokenTTL: TTL.accessToken,
    jwt: { sign: { alg: 'EdDSA' } },
  });
}

export function configurationFor(input: ConfigurationInput): Configuration {
  const base = new URL(input.issuer);
  const secure = base.protocol === 'https:';
  const resourceServer = resourceServerFor(input.resource);
  return {
    adapter: input.adapter,
    clients: clients(input),
    // Safe: our keys are JWKs of Ed25519 and RSA; the two libraries' types of a JWK differ only in what is
    // optional.
    jwks: input.jwks as NonNullable<Configuration['jwks']>,
    cookies: {
      keys: input.cookieKeys,
      names: { session: sessionCookieOf(secure), interaction: INTERACTION_COOKIE, resume: RESUME_COOKIE },
      // `__Host-` wants the whole site as its path.
      long: { httpOnly: true, sameSite: 'lax', signed: true, secure, path: secure ? '/' : base.pathname },
      short: { httpOnly: true, sameSite: 'lax', signed: true, secure },
    },
    scopes: ['openid', 'offline_access'],
    claims: { openid: ['sub'], email: ['email', 'email_verified', 'name', OPERATOR_CLAIM], profile: ['name'] },
    // MSAL and others never ask the userinfo address.
    conformIdTokenClaims: false,
    enabledJWA: { idTokenSigningAlgValues: [...ID_TOKEN_ALGORITHMS] },
    // A document that names no method is of a program that can keep no secret. Of one that names no
    // algorithm, RS256 is meant (OpenID Connect Registration §2).
    clientDefaults: { id_token_signed_response_alg: 'RS256', token_endpoint_auth_method: 'none' },
    routes: { userinfo: USERINFO_PATH },
    fetch: input.documents.fetch,
    responseTypes: ['code'],
    discovery: {
      registration_endpoint: `${input.issuer}${REGISTRATION_PATH}`,
      // So that clients know that `prompt=create` is understood.
      ...(input.signUp && { prompt_values_supported: ['none', 'login', 'consent', 'create'] }),
    },
    // Others' clients run in pages too: a code is worth nothing without its verifier, and no cookie is read
    // there.
    clientBasedCORS: (_ctx, _origin, client) => !isOwnClient(client.clientId),
    clientAuthMethods: ['none', 'client_secret_basic'],
    pkce: { required: () => true },
    rotateRefreshToken: true,
    expiresWithSession: async () => false,
    // A client gets one when its metadata lists the grant type refresh_token; no consent prompt is needed.
    issueRefreshToken: async (_ctx, client, source) => {
      if (!client.grantTypeAllowed('refresh_token')) return false;
      // The library takes it out of the scope where no consent prompt was asked for; MSAL names it again with
      // each renewal.
      if (source.scope !== undefined && !source.scopes.has('offline_access')) source.scope += ' offline_access';
      return true;
    },
    ttl: {
      AccessToken: TTL.accessToken,
      AuthorizationCode: TTL.authorizationCode,
      DeviceCode: TTL.deviceCode,
      Grant: TTL.grant,
      IdToken: TTL.accessToken,
      Interaction: TTL.interaction,
      RefreshToken: (_ctx, _token, client) => unusedSeconds(client.clientId),
      Session: TTL.session,
    },
    features: {
      devInteractions: { enabled: false },
      deviceFlow,
      dPoP: { enabled: false },
      pushedAuthorizationRequests: { enabled: false },
      revocation: { enabled: true, allowedPolicy: async (_ctx, client, token) => token.clientId === client.clientId },
      rpInitiatedLogout: signOut,
      resourceIndicators: {
        enabled: true,
        defaultResource: async (ctx, client, oneOf) => {
          if (isOwnClient(client.clientId)) return input.resource;
          if (oneOf?.length === 1) return oneOf;
          // It only signs the person in. An access token without a resource opens nothing but the userinfo
          // address.
          if (oneOf === undefined && scopesOf(ctx.oidc.params).includes('openid')) return [];
          throw new errors.InvalidTarget('name one agent by its address in the parameter "resource"');
        },
        useGrantedResource: async () => true,
        // The API takes only our own clients' tokens: no scope yet limits what one opens there.
        getResourceServerInfo: async (_ctx, resource, client) => {
          if (isOwnClient(client.clientId)) {
            if (resource !== input.resource) throw new errors.InvalidTarget();
            return resourceServer();
          }
          const agent = input.agentOf(resource);
          if (!agent) throw new errors.InvalidTarget('only agents of this installation can be asked for');
          return resourceServerFor(agent.audience, AGENT_SCOPE)();
        },
      },
      clientIdMetadataDocument: { enabled: true, ack: 'draft-02', allowFetch: (ctx, clientId) => input.mayFetch(ctx.ip, clientId) },
    },
    interactions: {
      policy: policyOf(input),
      url: (ctx, interaction) => {
        if (secure) noteBegun(ctx, interaction);
        return `${input.issuer}/interaction/${interaction.uid}`;
      },
    },
    findAccount: async (ctx, id) => {
      const account = await input.accounts.byId(id);
      // ID tokens and the userinfo address tell others nothing of who is an operator.
      const shown = account && isOthers(ctx.oidc.client) ? { ...account, operator: false } : account;
      return shown && { accountId: id, claims: async () => ({ sub: id, ...claimsOf(shown) }) };
    },
    extraTokenClaims: async (ctx, token) => {
      if (token.kind !== 'AccessToken') return undefined;
      const account = await input.accounts.byId(token.accountId);
      const signIn = await input.noteSignIn(ctx, token);
      return account && { ...claimsOf(account), ...(signIn !== undefined && { [SIGN_IN_CLAIM]: signIn }) };
    },
    // A grant per sign-in: a refresh token that was used twice logs out its own family, not the person's
    // other machines.
    loadExistingGrant: async (ctx: KoaContextWithOIDC) => {
      const accountId = ctx.oidc.session?.accountId;
      if (accountId === undefined || ctx.oidc.client === undefined) return undefined;
      if (!isOwnClient(ctx.oidc.client.clientId)) return grantedBefore(ctx);
      const grant = new ctx.oidc.provider.Grant({ accountId, clientId: ctx.oidc.client.clientId });
      grant.addOIDCScope(SCOPES.join(' '));
      grant.addResourceScope(input.resource, RESOURCE_SCOPES.join(' '));
      await grant.save();
      return grant;
    },
    renderError: async (ctx, out) => {
      ctx.set(pageHeaders());
      ctx.body = messagePage('That did not work', `${out.error_description ?? out.error}. Go back to where you began and try again.`);
    },
  };
}

function policyOf({ signUp }: ConfigurationInput): ReturnType<typeof consentPolicy> {
  const prompts = consentPolicy();
  if (signUp) prompts.add(createPrompt(), 0);
  return prompts;
}

function clients(input: ConfigurationInput): ClientMetadata[] {
  return [
    {
      client_id: CLI_CLIENT_ID,
      client_name: 'the svc command line tool',
      application_type: 'native',
      token_endpoint_auth_method: 'none',
      id_token_signed_response_alg: 'EdDSA',
      // Native clients may come back on any port of the loopback address (RFC 8252).
      redirect_uris: ['http://127.0.0.1/callback', 'http://[::1]/callback'],
      response_types: ['code'],
      grant_types: ['authorization_code', 'refresh_token', 'urn:ietf:params:oauth:grant-type:device_code', ...(input.localGrant ? [LOCAL_GRANT] : [])],
    },
    {
      client_id: WEB_CLIENT_ID,
      client_name: 'svc',
      client_secret: input.webClientSecret,
      token_endpoint_auth_method: 'client_secret_basic',
      id_token_signed_response_alg: 'EdDSA',
      redirect_uris: [input.webRedirectUri],
      post_logout_redirect_uris: [input.webHome],
      response_types: ['code'],
      grant_types: ['authorization_code'],
    },
  ];
}

function scopesOf(params: Record<string, unknown> | undefined): string[] {
  return typeof params?.['scope'] === 'string' ? params['scope'].split(' ') : [];
}

function isOthers(client: { clientId: string } | undefined): boolean {
  return client !== undefined && !isOwnClient(client.clientId);
}
