// The API's own sign-in at an OpenID Connect issuer (ours or another), by openid-client: discovery, PKCE,
// state, nonce, ID token checks.
import * as oidc from 'openid-client';
import { OPERATOR_CLAIM } from '#contract/identity/oauth.ts';
import { addressOf, PersonClaims } from './claims.ts';
import { discoverIssuer, prepare } from './issuer.ts';
import { isOperator } from './operators.ts';
import { LoginError, type Identity, type LoginProvider } from './port.ts';

const DISCOVERY_MS = 3_600_000;
const TIMEOUT_SECONDS = 10;

export interface LoginOptions {
  issuer: string;
  clientId: string;
  clientSecret: string;
  redirectUri: string;
  /** Where the provider sends the browser after signing out. */
  homeUri: string;
  /** Email addresses (verified by the issuer) of operators, besides those the issuer's claim makes. */
  operators?: readonly string[] | undefined;
  /** Accepts accounts with an unverified address. */
  unverified?: boolean | undefined;
  /** The signature of an ID token is checked too, though it comes over the issuer's own connection. */
  signatures?: boolean | undefined;
  /** How the provider is reached; default: as any host of the network. */
  fetch?: typeof fetch | undefined;
  /** Of a provider in this process. */
  endSessions?: LoginProvider['endSessions'];
  clock?: () => number;
}

export function createLoginProvider(options: LoginOptions): LoginProvider {
  const configuration = discovered(options);
  return {
    issuer: options.issuer,
    endSessions: options.endSessions,
    async authorizationUrl({ state, nonce, codeVerifier, loginHint }) {
      const config = await configuration();
      return oidc.buildAuthorizationUrl(config, {
        redirect_uri: options.redirectUri,
        scope: 'openid email',
        state,
        nonce,
        code_challenge: await oidc.calculatePKCECodeChallenge(codeVerifier),
        code_challenge_method: 'S256',
        ...(loginHint === undefined ? {} : { login_hint: loginHint }),
      });
    },
    async finish({ state, nonce, codeVerifier, query }) {
      const config = await configuration();
      const checks = { expectedState: state, expectedNonce: nonce, pkceCodeVerifier: codeVerifier, idTokenExpected: true };
      try {
        const tokens = await oidc.authorizationCodeGrant(config, new URL(`${options.redirectUri}?${query}`), checks);
        return await identityOf(config, options, tokens);
      } catch (error) {
        throw asLoginError(error);
      }
    },
    async endSessionUrl() {
      const config = await configuration();
      if (config.serverMetadata().end_session_endpoint === undefined) return undefined;
      return oidc.buildEndSessionUrl(config, { post_logout_redirect_uri: options.homeUri });
    },
  };
}

/**
 * The issuer's addresses and keys, looked up when first needed and again every hour; a failure is not
 * remembered.
 */
function discovered(of: LoginOptions): () => Promise<oidc.Configuration> {
  const { clock = Date.now } = of;
  let known: { at: number; configuration: Promise<oidc.Configuration> } | undefined;
  return async () => {
    if (!known || clock() - known.at > DISCOVERY_MS) known = { at: clock(), configuration: discover(of) };
    const { configuration } = known;
    try {
      return await configuration;
    } catch (error) {
      if (known?.configuration === configuration) known = undefined;
      throw error;
    }
  };
}

async function discover({ issuer, clientId, clientSecret, signatures, fetch: send }: LoginOptions): Promise<oidc.Configuration> {
  const checks = signatures ? [oidc.enableNonRepudiationChecks] : [];
  const settings = { issuer, clientId, execute: checks, timeoutSeconds: TIMEOUT_SECONDS, fetch: send };
  const configuration = await discoverIssuer({ ...settings, secret: oidc.ClientSecretBasic(clientSecret) });
  const methods = configuration.serverMetadata().token_endpoint_auth_methods_supported;
  if (methods === undefined || methods.includes('client_secret_basic')) return configuration;
  const posted = new oidc.Configuration(configuration.serverMetadata(), clientId, undefined, oidc.ClientSecretPost(clientSecret));
  prepare(posted, settings);
  return posted;
}

async function identityOf(
  config: oidc.Configuration,
  { issuer, operators, unverified }: LoginOptions,
  tokens: Awaited<ReturnType<typeof oidc.authorizationCodeGrant>>,
): Promise<Identity> {
  const idToken = claimsIn(tokens.claims());
  const claims: PersonClaims = { ...idToken, ...(await moreOf(config, tokens.access_token, idToken)) };
  const { email, verified } = addressOf(claims);
  if (email === undefined)
    throw new LoginError(
      'refused',
      'the identity provider sent no email address (claim "email"): allow the scope "email" for this client, or give the account an address there',
    );
  if (verified === false && unverified !== true)
    throw new LoginError('refused', 'this email address is not verified at the identity provider (claim "email_verified"): verify it there first');
  return {
    issuer,
    subject: idToken.sub,
    email,
    emailVerified: verified,
    name: claims.name ?? null,
    operator: idToken[OPERATOR_CLAIM] === true || isOperator(operators, email, verified),
  };
}

/** Many providers keep the address, or whether it is verified (Okta), out of the ID token. */
async function moreOf(config: oidc.Configuration, accessToken: string, idToken: PersonClaims): Promise<Partial<PersonClaims>> {
  const lacksAddress = idToken.email === undefined;
  if (config.serverMetadata().userinfo_endpoint === undefined || (!lacksAddress && addressOf(idToken).verified !== undefined)) return {};
  try {
    return claimsIn(await oidc.fetchUserInfo(config, accessToken, idToken.sub));
  } catch (error) {
    if (lacksAddress) throw error;
    return {};
  }
}

function asLoginError(error: unknown): LoginError {
  if (error instanceof LoginError) return error;
  if (error instanceof oidc.AuthorizationResponseError) return new LoginError('refused', error.error_description ?? error.error, { cause: error });
  if (error instanceof oidc.ResponseBodyError) {
    const code = error.status >= 500 ? 'unreachable' : 'invalid';
    return new LoginError(code, `the identity provider answered ${error.error}`, { cause: error });
  }
  // openid-client reports a failed connection or a time-out as the cause of a ClientError, and what does not
  // check out as one without.
  const unreachable = error instanceof TypeError || (error instanceof oidc.ClientError && /TIMEOUT|ABORT|RESPONSE_IS_NOT_JSON/.test(error.code ?? ''));
  const message = unreachable ? 'the identity provider cannot be reached' : "the identity provider's answer does not check out";
  return new LoginError(unreachable ? 'unreachable' : 'invalid', message, { cause: error });
}

function claimsIn(said: unknown): PersonClaims {
  const claims = PersonClaims.safeParse(said);
  if (!claims.success)
    throw new LoginError('refused', `the identity provider sent no usable ${claims.error.issues[0]?.path.join('.') ?? 'claims'}: ask its admin`);
  return claims.data;
}
