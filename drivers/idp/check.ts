// Whether an identity provider is set up so that people can sign in: asked step by step, each with what to
// change.
import type * as oidc from 'openid-client';
import { ALGORITHMS, createAccessTokens } from './access-tokens.ts';
import { discoverIssuer, isSameIssuer } from './issuer.ts';
import { LoginError } from './port.ts';

export interface ProviderSettings {
  issuer: string;
  client?: { id: string; secret: string } | undefined;
  /** What access tokens have to be for. */
  audience: string;
  redirectUri: string;
  operators?: readonly string[] | undefined;
  /** An access token to look at. */
  token?: string | undefined;
}

export interface Finding {
  ok: boolean;
  text: string;
}

const good = (text: string): Finding => ({ ok: true, text });
const bad = (text: string): Finding => ({ ok: false, text });

export async function* checkProvider(settings: ProviderSettings): AsyncGenerator<Finding> {
  const metadata = await document(settings);
  if (metadata instanceof LoginError) return void (yield bad(`${settings.issuer}: ${metadata.message}.`));
  const { issuer } = metadata;
  yield good(
    isSameIssuer(issuer, settings.issuer) && issuer !== settings.issuer
      ? `It is ${issuer}: with or without the last slash is the same here.`
      : `It is ${issuer}.`,
  );
  yield* checkDocument(metadata);
  yield* checkKeys(metadata.jwks_uri);
  yield settings.client
    ? await checkClient(metadata, settings, settings.client)
    : bad('There is no client: set OIDC_CLIENT_ID and OIDC_CLIENT_SECRET, or nobody signs in by a browser.');
  if (settings.token !== undefined) yield await checkToken(settings, settings.token);
}

async function document({ issuer }: ProviderSettings): Promise<oidc.ServerMetadata | LoginError> {
  try {
    return (await discoverIssuer({ issuer, clientId: 'check', timeoutSeconds: 10 })).serverMetadata();
  } catch (error) {
    if (error instanceof LoginError) return error;
    throw error;
  }
}

function* checkDocument(of: oidc.ServerMetadata): Generator<Finding> {
  for (const name of ['authorization_endpoint', 'token_endpoint', 'jwks_uri'] as const) if (of[name] === undefined) yield bad(`Its document names no ${name}: it is no issuer of OpenID Connect that people sign in at.`); // prettier-ignore
  const methods = of.code_challenge_methods_supported;
  if (methods !== undefined && !methods.includes('S256')) yield bad(`It takes no PKCE of S256 (code_challenge_methods_supported: ${methods.join(', ')}).`);
  const claims = of.claims_supported;
  if (claims !== undefined && !claims.includes('email')) yield bad('Its document does not name the claim "email": allow the scope "email" for the client.');
  else if (claims !== undefined && !claims.includes('email_verified')) yield bad('Its document does not name the claim "email_verified": nobody becomes an operator by their address (SVC_OPERATORS), and organizations refuse its addresses. Entra: add the optional claim xms_edov to ID tokens.'); // prettier-ignore
}

async function* checkKeys(address: string | undefined): AsyncGenerator<Finding> {
  if (address === undefined) return;
  const keys = await fetch(address, { signal: AbortSignal.timeout(10_000) })
    .then((answer) => answer.json() as Promise<{ keys?: { alg?: string; kty?: string }[] }>)
    .catch(() => undefined);
  if (!keys?.keys) return void (yield bad(`Its keys cannot be read at ${address}.`));
  const usable = keys.keys.filter(({ alg, kty }) => (alg === undefined ? kty !== 'oct' : ALGORITHMS.includes(alg)));
  yield usable.length > 0
    ? good(`It signs with ${usable.length} keys that can be checked.`)
    : bad(`None of its ${keys.keys.length} keys can be checked here: ${ALGORITHMS.join(', ')} are.`);
}

/**
 * A code that nobody gave out: who knows the client says so of the code, who does not says so of the client.
 */
async function checkClient(of: oidc.ServerMetadata, { redirectUri }: ProviderSettings, client: { id: string; secret: string }): Promise<Finding> {
  if (of.token_endpoint === undefined) return bad('The client cannot be tried: there is no token_endpoint.');
  const basic = of.token_endpoint_auth_methods_supported?.includes('client_secret_basic') !== false;
  const body = new URLSearchParams({ grant_type: 'authorization_code', code: 'a-code-of-nobody', redirect_uri: redirectUri, code_verifier: 'v'.repeat(43) });
  const headers: Record<string, string> = { accept: 'application/json' };
  if (basic) headers.authorization = `Basic ${Buffer.from(`${encodeURIComponent(client.id)}:${encodeURIComponent(client.secret)}`).toString('base64')}`;
  else for (const [name, value] of Object.entries({ client_id: client.id, client_secret: client.secret })) body.set(name, value);
  const answer = await fetch(of.token_endpoint, { method: 'POST', headers, body, signal: AbortSignal.timeout(10_000) }).catch(() => undefined);
  const reply = ((await answer?.json().catch(() => undefined)) ?? {}) as { error?: string; error_description?: string };
  if (reply.error === 'invalid_grant') return good(`It knows the client ${client.id}. Its redirect address there has to be ${redirectUri}`);
  if (reply.error === undefined) return bad('Its token address did not answer as OAuth does.');
  const hint = reply.error === 'invalid_client' || reply.error === 'unauthorized_client' ? ': OIDC_CLIENT_ID or OIDC_CLIENT_SECRET is not right' : '';
  return bad(`It refuses the client with ${reply.error}${reply.error_description === undefined ? '' : ` (${reply.error_description})`}${hint}.`);
}

async function checkToken({ issuer, audience, client, operators }: ProviderSettings, token: string): Promise<Finding> {
  try {
    const { subject, email, operator, scopes = [] } = await createAccessTokens({ issuer, audience, clientId: client?.id, operators }).verify(token);
    const whose =
      email === undefined
        ? 'without an address: who was never here cannot come in by it (claim "email", or a userinfo address)'
        : `of ${email}${operator ? ', an operator' : ''}`;
    return email === undefined
      ? bad(`The token is of ${subject}, ${whose}.`)
      : good(`The token is good: of ${subject}, ${whose}. Scopes: ${scopes.join(' ') || 'none'}.`);
  } catch (error) {
    if (error instanceof LoginError) return bad(`The token is refused: ${error.message}.`);
    throw error;
  }
}
