// Six providers as companies have them, at an issuer that signs what they send: people sign in, their access
// tokens are taken, and nothing else that they sign.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { CLIENT, forger, type Forger, realProvider, type TestProvider } from '#test/support/identity-providers.ts';
import { AUDIENCE, CLIENT_ID, PROVIDER_SHAPES, type ProviderShape } from '#test/support/provider-shapes.ts';
import { createAccessTokens } from './access-tokens.ts';
import { checkProvider, type ProviderSettings } from './check.ts';
import { createLoginProvider } from './login.ts';
import type { Identity } from './port.ts';

let provider: Forger;
beforeAll(async () => void (provider = await forger()));
afterAll(() => provider.close());
beforeEach(() => Object.assign(provider, { claims: {}, metadata: {}, userinfo: undefined, person: { sub: 'nobody' } }));

const seconds = () => Math.floor(Date.now() / 1_000);
const named = ({ slash }: Pick<ProviderShape, 'slash'>): string => `${provider.issuer}${slash ? '/' : ''}`;

function tokens(over: { issuer?: string; operators?: string[]; audience?: string } = {}) {
  return createAccessTokens({ issuer: provider.issuer, audience: AUDIENCE, clientId: CLIENT_ID, ...over });
}

function sign(shape: ProviderShape, { header, claims }: { header: { typ?: string }; claims: object }, over: object = {}): Promise<string> {
  provider.metadata = { issuer: named(shape) };
  provider.userinfo = shape.userinfo;
  return provider.sign({ iss: named(shape), iat: seconds(), exp: seconds() + 300, ...claims, ...over }, header);
}

/** A whole sign-in in a browser, with the client that the forger knows. */
async function signIn(shape: ProviderShape, operators: string[] = [], issuer = provider.issuer): Promise<Identity> {
  provider.metadata = { issuer: named(shape) };
  provider.userinfo = shape.userinfo;
  provider.claims = { ...shape.id.claims, aud: CLIENT.client_id, azp: undefined, at_hash: undefined, iss: named(shape) };
  const login = createLoginProvider({ issuer, clientId: CLIENT.client_id, clientSecret: CLIENT.client_secret, redirectUri: 'https://svc.example.test/cb', homeUri: 'https://svc.example.test/', operators }); // prettier-ignore
  const code = provider.code('the nonce');
  return login.finish({ state: 'the state', nonce: 'the nonce', codeVerifier: 'v'.repeat(43), query: new URLSearchParams({ code, state: 'the state' }) });
}

describe.each(Object.entries(PROVIDER_SHAPES))('%s', (_name, shape) => {
  test('a person signs in', async () => {
    expect(await signIn(shape)).toMatchObject({ issuer: provider.issuer, subject: shape.id.claims.sub, email: shape.email, emailVerified: shape.verified });
    expect(await signIn(shape, [shape.email])).toMatchObject({ operator: shape.verified === true });
  });

  test('an ID token is not, though it is for the client', async () => {
    const id = await sign(shape, shape.id, { nonce: 'n' });
    await expect(tokens().verify(id)).rejects.toMatchObject({ code: 'invalid' });
    // An installation whose audience is its client: Entra's usual set-up.
    for (const over of [{ nonce: 'n' }, { nonce: undefined }, { nonce: undefined, at_hash: undefined }])
      await expect(tokens({ audience: CLIENT_ID }).verify(await sign(shape, shape.id, over))).rejects.toMatchObject({ code: 'invalid' });
  });
});

const readable = Object.entries(PROVIDER_SHAPES).flatMap(([name, shape]) => (shape.access ? [[name, shape, shape.access] as const] : []));
test.each(readable)('an access token of %s is taken, under both forms of the issuer', async (_name, shape, access) => {
  const token = await sign(shape, access);
  for (const issuer of [provider.issuer, `${provider.issuer}/`])
    expect(await tokens({ issuer }).verify(token)).toMatchObject({ issuer, subject: access.claims.sub, email: shape.email });
  expect((await tokens().verify(token)).scopes).toContain(access.claims.scp === 'access_as_user' ? 'access_as_user' : 'openid');
});

const entra = PROVIDER_SHAPES['Microsoft Entra'];
const cognito = PROVIDER_SHAPES['Amazon Cognito'];
const keycloak = PROVIDER_SHAPES.Keycloak;

test('what is wrong is named', async () => {
  if (!entra?.access || !cognito?.access || !keycloak?.access) throw new Error('these have access tokens');
  const refused = async (token: Promise<string>, of = tokens()) => of.verify(await token).then(() => 'taken', (error: Error) => error.message); // prettier-ignore
  expect(await refused(sign(entra, entra.access, { aud: 'api://other' }))).toMatch(/its "aud" is "api:\/\/other", wanted is "https:\/\/svc\.example\.test"/);
  expect(await refused(sign(entra, entra.access, { iss: 'https://sts.windows.net/0000-tid/' }))).toMatch(
    /its "iss" is "https:\/\/sts\.windows\.net\/0000-tid\/"/,
  );
  expect(await refused(sign(keycloak, keycloak.access, { typ: 'Refresh' }))).toMatch(/its "typ" is "Refresh"/);
  expect(await refused(sign(keycloak, keycloak.access, { cnf: { jkt: 'x' } }))).toMatch(/"cnf"/);
  expect(await refused(sign(keycloak, { ...keycloak.access, header: { typ: 'logout+jwt' } }))).toMatch(/its type is "logout\+jwt"/);
  expect(await refused(sign(cognito, cognito.access, { client_id: 'another client' }))).toMatch(/its "aud" is null/);
  expect(await refused(sign(cognito, cognito.access, { client_id: 'another client', scope: `openid ${AUDIENCE}/call` }))).toBe('taken');
  expect(await refused(sign(cognito, cognito.access, { client_id: 'another client', scope: `${AUDIENCE}x/call` }))).toMatch(/its "aud" is null/);
  expect(await refused(sign(entra, entra.access, { sub: '' }))).toMatch(/"sub" cannot be read/);
});

test('an issuer that calls itself otherwise is said to, and is not away', async () => {
  if (!entra?.access) throw new Error('it has');
  const token = await sign(entra, entra.access);
  provider.metadata = { issuer: 'https://sts.windows.net/0000-tid/' };
  const mismatch = { code: 'invalid', message: expect.stringMatching(/calls itself https:\/\/sts\.windows\.net\/0000-tid\/.*OIDC_ISSUER/) };
  await expect(tokens().verify(token)).rejects.toMatchObject(mismatch);
  await expect(signIn(entra, [], `${provider.issuer}/nowhere`)).rejects.toMatchObject({ code: 'unreachable' });
  const login = createLoginProvider({ issuer: provider.issuer, clientId: 'x', clientSecret: 'y', redirectUri: `${AUDIENCE}/cb`, homeUri: AUDIENCE });
  provider.metadata = { issuer: 'https://sts.windows.net/0000-tid/' };
  await expect(login.authorizationUrl({ state: 's', nonce: 'n', codeVerifier: 'v'.repeat(43) })).rejects.toMatchObject(mismatch);
});

test('a name to sign in with is an address only where nobody says that it is not verified, and makes no operators', async () => {
  if (!entra) throw new Error('it is there');
  const nameOnly = { ...entra, id: { header: {}, claims: { ...entra.id.claims, email: undefined, xms_edov: undefined } } };
  expect(await signIn(nameOnly, [entra.email])).toMatchObject({ email: entra.email, emailVerified: undefined, operator: false });
  const chosen = { ...nameOnly, id: { header: {}, claims: { ...nameOnly.id.claims, email_verified: false } } };
  await expect(signIn(chosen)).rejects.toMatchObject({ code: 'refused', message: expect.stringMatching(/"email"/) });
  const noAddress = { ...nameOnly, id: { header: {}, claims: { ...nameOnly.id.claims, preferred_username: 'ada' } } };
  await expect(signIn(noAddress)).rejects.toMatchObject({ code: 'refused' });
  // Its word for one address is none for another.
  const vouched = { ...nameOnly, id: { header: {}, claims: { ...nameOnly.id.claims, xms_edov: true } } };
  expect(await signIn(vouched, [entra.email])).toMatchObject({ emailVerified: undefined, operator: false });
});

test.each([['true', true], ['false', false], [1, true], [0, false], ['1', true]] as const)('email_verified as %j', async (said, verified) => {
  if (!entra) throw new Error('it is there');
  const shape = { ...entra, id: { header: {}, claims: { ...entra.id.claims, xms_edov: undefined, email_verified: said } } };
  if (verified) expect(await signIn(shape, [entra.email])).toMatchObject({ emailVerified: true, operator: true });
  else await expect(signIn(shape)).rejects.toMatchObject({ code: 'refused', message: expect.stringMatching(/"email_verified"/) });
}); // prettier-ignore

describe('the check of an operator', () => {
  let real: TestProvider;
  const redirectUri = 'https://svc.example.test/v1/auth/oidc/callback';
  beforeAll(async () => void (real = await realProvider([redirectUri])));
  afterAll(() => real.close());

  const findings = async (over: Partial<ProviderSettings> = {}): Promise<string[]> => {
    const client = { id: CLIENT.client_id, secret: CLIENT.client_secret };
    const found = await Array.fromAsync(checkProvider({ issuer: real.issuer, client, audience: AUDIENCE, redirectUri, ...over }));
    return found.map(({ ok, text }) => `${ok ? 'good' : 'bad'}: ${text}`);
  };

  test('a provider that is set up right', async () => {
    expect(await findings()).toEqual([
      expect.stringMatching(/^good: It is http/),
      expect.stringMatching(/^good: It signs with 1 keys/),
      expect.stringMatching(/^good: It knows the client svc\..*\/v1\/auth\/oidc\/callback/),
    ]);
  });

  test('what is wrong', async () => {
    const [client] = (await findings({ client: { id: CLIENT.client_id, secret: 'another' } })).slice(-1);
    expect(client).toMatch(/^bad: It refuses the client with invalid_client.*OIDC_CLIENT_ID or OIDC_CLIENT_SECRET/);
    expect((await findings({ client: undefined })).at(-1)).toMatch(/^bad: There is no client/);
    expect(await findings({ issuer: `${real.issuer}/nowhere` })).toEqual([expect.stringMatching(/^bad: http\S+: the identity provider cannot be reached/)]);
    if (!entra?.access || !keycloak?.access) throw new Error('these have access tokens');
    const token = await sign(keycloak, keycloak.access, { aud: 'account' });
    expect((await findings({ issuer: provider.issuer, token })).at(-1)).toMatch(/^bad: The token is refused: .*"aud" is "account"/);
    expect((await findings({ issuer: provider.issuer, token: await sign(keycloak, keycloak.access) })).at(-1)).toMatch(
      /^good: The token is good: of f81d, of ada@/,
    );
    const unnamed = await sign(entra, entra.access, { preferred_username: undefined });
    expect((await findings({ issuer: provider.issuer, token: unnamed })).at(-1)).toMatch(/^bad: The token is of pairwise-subject, without an address/);
    provider.metadata = { claims_supported: ['sub', 'email'], code_challenge_methods_supported: ['plain'], token_endpoint: undefined };
    expect((await findings({ issuer: provider.issuer })).filter((one) => one.startsWith('bad'))).toEqual([
      expect.stringMatching(/token_endpoint/),
      expect.stringMatching(/S256/),
      expect.stringMatching(/email_verified/),
      expect.stringMatching(/cannot be tried/),
    ]);
  });
});
