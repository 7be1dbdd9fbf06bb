import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, SignJWT, UnsecuredJWT, type JWK, type JWTHeaderParameters } from 'jose';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { looseForms } from '#test/support/loose-base64.ts';
import { createAccessTokens, TokenExpired } from './access-tokens.ts';

const issuer = 'https://issuer.test';
const audience = 'https://api.test';
const { privateKey, publicKey } = await generateKeyPair('EdDSA', { extractable: true });
const other = await generateKeyPair('EdDSA');
const jwk: JWK = { ...(await exportJWK(publicKey)), kid: 'k1', alg: 'EdDSA', use: 'sig' };
const claims = { sub: 'subject', email: 'ada@test', name: 'Ada' };

const seconds = () => Math.floor(Date.now() / 1000);
function sign(over: Record<string, unknown> = {}, header: Partial<JWTHeaderParameters> = {}, key = privateKey): Promise<string> {
  const payload = { iss: issuer, aud: audience, iat: seconds(), exp: seconds() + 60, ...claims, ...over };
  return new SignJWT(payload).setProtectedHeader({ alg: 'EdDSA', typ: 'at+jwt', kid: 'k1', ...header }).sign(key);
}

const tokens = createAccessTokens({ issuer, audience, jwks: { keys: [jwk] }, operators: ['boss@test'] });

test('a good token tells who it is', async () => {
  expect(await tokens.verify(await sign())).toMatchObject({ issuer, subject: 'subject', email: 'ada@test', name: 'Ada', operator: false });
  expect(await tokens.verify(await sign({ svc_operator: true }))).toMatchObject({ operator: true });
});

test('an operator by list needs a verified address', async () => {
  expect((await tokens.verify(await sign({ email: 'Boss@test', email_verified: true }))).operator).toBe(true);
  expect((await tokens.verify(await sign({ email: 'boss@test', email_verified: false }))).operator).toBe(false);
  expect((await tokens.verify(await sign({ email: 'boss@test' }))).operator).toBe(false);
});

test('everything else is refused', async () => {
  const none = new UnsecuredJWT({ ...claims }).setIssuer(issuer).setAudience(audience).setExpirationTime('1m').encode();
  const noneTyped = `${Buffer.from(JSON.stringify({ alg: 'none', typ: 'at+jwt' })).toString('base64url')}.${none.split('.')[1]}.`;
  // The classic: the public key as the secret of a symmetric signature.
  const confused = await new SignJWT({ iss: issuer, aud: audience, exp: seconds() + 60, ...claims })
    .setProtectedHeader({ alg: 'HS256', typ: 'at+jwt', kid: 'k1' })
    .sign(Buffer.from(String(jwk.x), 'base64url'));
  const good = await sign();
  const [head, , signature] = good.split('.');
  const bent = `${head}.${Buffer.from(JSON.stringify({ iss: issuer, aud: audience, exp: seconds() + 60, ...claims, svc_operator: true })).toString('base64url')}.${signature}`;
  const bad: Record<string, string> = {
    'alg none': none,
    'alg none, typed': noneTyped,
    'HS256 with the public key': confused,
    'changed payload': bent,
    'signed by somebody else': await sign({}, {}, other.privateKey),
    'unknown key': await sign({}, { kid: 'k2' }),
    'ID token': await sign({}, { typ: 'JWT' }),
    'other issuer': await sign({ iss: 'https://evil.test' }),
    'other audience': await sign({ aud: 'https://other.test' }),
    'not yet': await sign({ nbf: seconds() + 600 }),
    'no end': await sign({ exp: undefined }),
    nobody: await sign({ sub: '' }),
    junk: 'junk',
    empty: '',
    huge: `${good}${'a'.repeat(9000)}`,
  };
  for (const [at, part] of good.split('.').entries())
    for (const form of looseForms(part)) bad[`part ${at} as ${form}`] = good.split('.').with(at, form).join('.');
  for (const [name, token] of Object.entries(bad)) await expect(tokens.verify(token), name).rejects.toMatchObject({ code: 'invalid' });
  await expect(tokens.verify(await sign({ exp: seconds() - 1 }))).rejects.toBeInstanceOf(TokenExpired);
});

const answers = { keys: 200, email: true, asked: 0 };
const server = createServer((request, response) => {
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const json = (body: unknown, status = 200) => response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  if (request.url === '/.well-known/openid-configuration')
    return void json({
      issuer: base,
      jwks_uri: `${base}/jwks`,
      userinfo_endpoint: `${base}/me`,
      authorization_endpoint: `${base}/auth`,
      response_types_supported: ['code'],
    });
  if (request.url === '/jwks') return void json({ keys: [jwk] }, answers.keys);
  answers.asked++;
  json({ sub: 'subject', ...(answers.email ? { email: 'told@test', email_verified: true } : {}) });
});
let remote: string;
beforeAll(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  remote = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.close();
  server.closeAllConnections();
});

test('an issuer elsewhere: its keys are fetched, its userinfo tells the email a token lacks', async () => {
  const outside = createAccessTokens({ issuer: remote, audience });
  answers.keys = 503;
  await expect(outside.verify(await sign({ iss: remote }))).rejects.toMatchObject({ code: 'unreachable' });
  answers.keys = 200;
  expect((await outside.verify(await sign({ iss: remote }))).email).toBe('ada@test');
  expect(answers.asked).toBe(0);
  expect((await outside.verify(await sign({ iss: remote, email: undefined }))).email).toBe('told@test');
  expect(answers.asked).toBe(1);
  const withOperators = createAccessTokens({ issuer: remote, audience, operators: ['told@test'] });
  expect(await withOperators.verify(await sign({ iss: remote, email: 'told@test' }))).toMatchObject({ operator: true });
  expect(await withOperators.verify(await sign({ iss: remote, email: 'told@test', email_verified: false }))).toMatchObject({ operator: false });
  expect(answers.asked).toBe(2);
  answers.email = false;
  expect((await outside.verify(await sign({ iss: remote, email: undefined }))).email).toBeUndefined();
  await expect(createAccessTokens({ issuer: `${remote}/nowhere`, audience }).verify(await sign())).rejects.toMatchObject({ code: 'unreachable' });
});
