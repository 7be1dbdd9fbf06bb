// Other people's clients of OpenID Connect, unmodified, sign a person in by the issuer, over TLS under an
// authority that only they are told to trust.
import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { PYTHON, pythonWith, WITHOUT_PYTHON } from '../../support/languages/python.ts';
import { BACK, type OidcWorld, OUT, startOidcWorld } from './world.ts';

const PACKAGES = ['authlib==1.9.10', 'flask==3.1.3', 'requests==2.34.2', 'msal==1.39.0'];
const ADA = { email: 'ada@svc.local', email_verified: true, name: 'Ada Lovelace' };

describe.skipIf(!PYTHON)(`(${PYTHON ?? WITHOUT_PYTHON})`, () => {
  let world: OidcWorld;
  let python: string;
  beforeAll(async () => {
    [world, python] = await Promise.all([startOidcWorld(), pythonWith('oidc-clients-1', PACKAGES)]);
  });
  afterAll(() => world.close());

  /**
   * Runs one of the programs beside this file. Each line that it prints is an address that it opens, the last
   * one what it found; it reads where the browser was sent.
   */
  async function walked(program: string, clientId: string, open: ((url: URL) => Promise<URL>)[]): Promise<unknown> {
    const child: ChildProcess = spawn(python, [join(import.meta.dirname, program), world.issuer, clientId, BACK, OUT], {
      stdio: ['pipe', 'pipe', 'pipe'],
      env: { PATH: process.env.PATH, REQUESTS_CA_BUNDLE: world.caFile, NO_PROXY: '*' },
    });
    onTestFinished(() => void child.kill());
    let trouble = '';
    child.stderr?.on('data', (chunk) => (trouble += String(chunk)));
    if (!child.stdout) throw new Error('it has an output');
    const opening = [...open];
    for await (const line of createInterface(child.stdout)) {
      const next = opening.shift();
      if (!next) return JSON.parse(line);
      child.stdin?.write(`${(await next(new URL(line))).href}\n`);
    }
    throw new Error(`it ended: ${trouble}`);
  }

  test.each(['RS256', 'EdDSA'])('Authlib with %s: sign-in, ID token, userinfo, renewal, sign-out', async (alg) => {
    const browser = world.browser();
    const signOut = async (url: URL): Promise<URL> => {
      const { left } = await browser.post(await browser.get(url), { logout: 'yes' });
      return left ?? url;
    };
    const found = await walked('authlib_client.py', world.client({ id_token_signed_response_alg: alg }), [(url) => world.signIn(url, { browser }), signOut]);
    expect(found).toEqual({ id_token: expect.objectContaining(ADA), userinfo: { sub: expect.any(String), ...ADA }, renewed: { sub: expect.any(String), ...ADA }, signed_out_from: OUT });
    const { id_token, userinfo } = z.object({ id_token: z.looseObject({ sub: z.string() }), userinfo: z.looseObject({ sub: z.string() }) }).parse(found);
    expect(id_token.sub).toBe(userinfo.sub);
    expect(world.api.errors).toEqual([]);
  }); // prettier-ignore

  test('MSAL: sign-in, ID token, tokens from its cache, renewal', async () => {
    const found = await walked('msal_client.py', world.client(), [(url) => world.signIn(url)]);
    expect(found).toEqual({ id_token: expect.objectContaining({ ...ADA, iss: world.issuer }), error: null, cached: true, renewed: true, other: true, token_type: 'Bearer' });
    expect(world.api.errors).toEqual([]);
  }); // prettier-ignore
});
