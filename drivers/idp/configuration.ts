// How oidc-provider is set up: two clients of our own, PKCE always, EdDSA, rotating refresh tokens, JWT access tokens for the API.
import { errors, interactionPolicy, type AdapterFactory, type ClientMetadata, type Configuration, type ResourceServer } from 'oidc-provider';
import type { JWK } from 'jose';
import { CLI_CLIENT_ID, LOCAL_GRANT, OPERATOR_CLAIM, RESOURCE_SCOPES, SCOPES, TTL, WEB_CLIENT_ID } from '../../contract/identity/oauth.ts';
import type { Accounts } from './accounts.ts';
import { deviceFlow, signOut } from './device.ts';
import { messagePage, pageHeaders } from './pages.ts';

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
}

/** Facts of the one protected resource, the API. */
export type ResourceServerFor = () => ResourceServer;

export function resourceServerFor(resource: string): ResourceServerFor {
  return () => ({
    audience: resource,
    scope: RESOURCE_SCOPES.join(' '),
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
    // Safe: our keys are Ed25519 JWKs; the two libraries' types of a JWK differ only in what is optional.
    jwks: input.jwks as NonNullable<Configuration['jwks']>,
    cookies: {
      keys: input.cookieKeys,
      names: { session: 'svc_idp_session', interaction: 'svc_idp_interaction', resume: 'svc_idp_resume' },
      long: { httpOnly: true, sameSite: 'lax', signed: true, secure, path: base.pathname },
      short: { httpOnly: true, sameSite: 'lax', signed: true, secure },
    },
    scopes: ['openid', 'offline_access'],
    claims: { openid: ['sub'], email: ['email', 'email_verified', 'name', OPERATOR_CLAIM] },
    enabledJWA: { idTokenSigningAlgValues: ['EdDSA'] },
    clientDefaults: { id_token_signed_response_alg: 'EdDSA' },
    responseTypes: ['code'],
    clientAuthMethods: ['none', 'client_secret_basic'],
    pkce: { required: () => true },
    rotateRefreshToken: true,
    expiresWithSession: async () => false,
    // All clients are our own, so asking for offline_access is enough; no consent prompt is needed to be given it.
    issueRefreshToken: async (_ctx, client, _source) => client.grantTypeAllowed('refresh_token'),
    ttl: {
      AccessToken: TTL.accessToken,
      AuthorizationCode: TTL.authorizationCode,
      DeviceCode: TTL.deviceCode,
      Grant: TTL.refreshToken,
      IdToken: TTL.accessToken,
      Interaction: TTL.interaction,
      RefreshToken: TTL.refreshToken,
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
        defaultResource: async () => input.resource,
        useGrantedResource: async () => true,
        getResourceServerInfo: async (_ctx, resource) => {
          if (resource !== input.resource) throw new errors.InvalidTarget();
          return resourceServer();
        },
      },
    },
    interactions: { policy: policy(), url: (_ctx, interaction) => `${input.issuer}/interaction/${interaction.uid}` },
    findAccount: async (_ctx, id) => {
      const account = await input.accounts.byId(id);
      return account && { accountId: id, claims: async () => ({ sub: id, ...claimsOf(account) }) };
    },
    extraTokenClaims: async (_ctx, token) => {
      const account = token.kind === 'AccessToken' ? await input.accounts.byId(token.accountId) : undefined;
      return account && claimsOf(account);
    },
    // A grant per sign-in: a refresh token that was used twice logs out its own family, not the person's other machines.
    loadExistingGrant: async (ctx) => {
      const accountId = ctx.oidc.session?.accountId;
      if (accountId === undefined || ctx.oidc.client === undefined) return undefined;
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

function clients(input: ConfigurationInput): ClientMetadata[] {
  return [
    {
      client_id: CLI_CLIENT_ID,
      client_name: 'the svc command line tool',
      application_type: 'native',
      token_endpoint_auth_method: 'none',
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
      redirect_uris: [input.webRedirectUri],
      post_logout_redirect_uris: [input.webHome],
      response_types: ['code'],
      grant_types: ['authorization_code'],
    },
  ];
}

function policy() {
  const prompts = interactionPolicy.base();
  // Which would ask for consent at every sign-in of the command line tool.
  prompts.get('consent')?.checks.remove('native_client_prompt');
  return prompts;
}

function claimsOf(account: { email: string; name: string; operator: boolean }) {
  return { email: account.email, email_verified: true, name: account.name, ...(account.operator ? { [OPERATOR_CLAIM]: true } : {}) };
}
