// Identity providers of organizations, on loopback: a real one (oidc-provider), and one that says and signs
// whatever a test wants.
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { randomUUID } from 'node:crypto';
import { text } from 'node:stream/consumers';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { Provider } from 'oidc-provider';

export interface TestProvider {
  issuer: string;
  /** `host:port`, for SVC_SSO_LOCAL_HOSTS. */
  host: string;
  /** Who is at the browser: the next sign-in is theirs. */
  person: { sub: string; email?: string; email_verified?: boolean };
  close(): Promise<void>;
}

export const CLIENT = { client_id: 'svc', client_secret: 'a secret of the client' };
const ALG = 'ES256';

/** For clients whose callback is at one of `callbacks`. */
export async function realProvider(callbacks: readonly string[]): Promise<TestProvider> {
  const { server, issuer, close } = await listen();
  const it: TestProvider = { issuer, host: new URL(issuer).host, person: { sub: 'nobody' }, close };
  const { privateKey } = await generateKeyPair(ALG, { extractable: true });
  const people = new Map<string, TestProvider['person']>();
  const provider = new Provider(issuer, {
    clients: [{ ...CLIENT, redirect_uris: [...callbacks], id_token_signed_response_alg: ALG }],
    jwks: { keys: [{ ...(await exportJWK(privateKey)), kid: 'k1', alg: ALG, use: 'sig' }] },
    cookies: { keys: ['of tests'] },
    ttl: { AccessToken: 600, AuthorizationCode: 60, Grant: 600, IdToken: 600, Interaction: 600, Session: 600 },
    claims: { openid: ['sub'], email: ['email', 'email_verified'] },
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_ctx, interaction) => `/interaction/${interaction.uid}` },
    findAccount: (_ctx, sub) => ({ accountId: sub, claims: () => ({ ...people.get(sub), sub }) }),
    async loadExistingGrant({ oidc }) {
      const grant = new oidc.provider.Grant({ clientId: oidc.client?.clientId ?? '', accountId: oidc.session?.accountId ?? '' });
      grant.addOIDCScope('openid email');
      await grant.save();
      return grant;
    },
  });
  const listener = provider.callback();
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    if (!request.url?.startsWith('/interaction/')) return void listener(request, response);
    people.set(it.person.sub, { ...it.person });
    void provider.interactionFinished(request, response, { login: { accountId: it.person.sub } });
  });
  return it;
}

export interface Forger extends TestProvider {
  /** What the ID token says instead. */
  claims: Record<string, unknown>;
  /** Signed by a key that is not in its set. */
  wrongKey: boolean;
  /** What its document says besides, or instead. */
  metadata: Record<string, unknown>;
  /** What it says of the person to who has an access token; undefined: it has no such address. */
  userinfo: Record<string, unknown> | undefined;
  /** Any token, signed by its key. */
  sign(claims: Record<string, unknown>, header?: { typ?: string }): Promise<string>;
  /** A code that it takes, as if it had been given out for this nonce. */
  code(nonce: string): string;
}

export async function forger(): Promise<Forger> {
  const { server, issuer, close } = await listen();
  const [right, wrong] = [await generateKeyPair(ALG), await generateKeyPair(ALG)];
  const jwk = { ...(await exportJWK(right.publicKey)), kid: 'k1', alg: ALG, use: 'sig' };
  const nonces = new Map<string, string>();
  const it: Forger = {
    issuer,
    host: new URL(issuer).host,
    person: { sub: 'nobody' },
    claims: {},
    wrongKey: false,
    metadata: {},
    userinfo: undefined,
    sign: (claims, header = {}) => new SignJWT(claims).setProtectedHeader({ alg: ALG, kid: 'k1', ...header }).sign(right.privateKey),
    code(nonce) {
      const code = randomUUID();
      nonces.set(code, nonce);
      return code;
    },
    close,
  };
  const idToken = (nonce: string): Promise<string> =>
    new SignJWT({ iss: issuer, aud: CLIENT.client_id, nonce, exp: Math.floor(Date.now() / 1000) + 300, ...it.person, ...it.claims })
      .setProtectedHeader({ alg: ALG, kid: 'k1' })
      .setIssuedAt()
      .sign(it.wrongKey ? wrong.privateKey : right.privateKey);
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    const url = new URL(request.url ?? '/', issuer);
    const json = (body: unknown): void => void response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    const answers: Record<string, () => void | Promise<void>> = {
      '/.well-known/openid-configuration': () =>
        json({
          issuer,
          authorization_endpoint: `${issuer}/authorize`,
          token_endpoint: `${issuer}/token`,
          jwks_uri: `${issuer}/jwks`,
          response_types_supported: ['code'],
          subject_types_supported: ['public'],
          id_token_signing_alg_values_supported: [ALG],
          token_endpoint_auth_methods_supported: ['client_secret_post'],
          ...(it.userinfo && { userinfo_endpoint: `${issuer}/userinfo` }),
          ...it.metadata,
        }),
      '/userinfo': () => json(it.userinfo),
      '/jwks': () => json({ keys: [jwk] }),
      '/authorize': () => {
        const back = new URL(url.searchParams.get('redirect_uri') ?? '');
        back.search = new URLSearchParams({ code: it.code(url.searchParams.get('nonce') ?? ''), state: url.searchParams.get('state') ?? '' }).toString();
        response.writeHead(302, { location: String(back) }).end();
      },
      '/token': async () => {
        const code = new URLSearchParams(await text(request)).get('code') ?? '';
        json({ access_token: 'opaque', token_type: 'Bearer', expires_in: 60, id_token: await idToken(nonces.get(code) ?? '') });
      },
    };
    void (answers[url.pathname] ?? (() => void response.writeHead(404).end()))();
  });
  return it;
}

async function listen(): Promise<{ server: Server; issuer: string; close: () => Promise<void> }> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  // Safe: a TCP server that is listening has an address with a port.
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const close = async (): Promise<void> => {
    server.close();
    server.closeAllConnections();
  };
  return { server, issuer, close };
}
