import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { Agent } from '../../authoring/agent.ts';
import { declare } from '../../authoring/declare.ts';
import { AuthError, SvcError } from '../../authoring/errors.ts';
import { skill } from '../../authoring/skill.ts';
import { sendError } from '../http.ts';
import { FrontendConfig } from './config.ts';
import { createFrontend, type FrontendParts } from './frontend.ts';
import { cites } from '../../../../test/spec/verifies.ts';

class Paged extends Agent {
  name = 'paged';
  description = 'Has a page';
  version = '0.1.0';
  greet = skill({ description: 'Greets', stream: true, scopes: ['hi'] }, async () => 'hi');
}

let dist: string;
beforeAll(async () => {
  dist = await mkdtemp(join(tmpdir(), 'svc-front-'));
  await mkdir(join(dist, 'assets'));
  await mkdir(join(dist, 'about'));
  await writeFile(join(dist, 'index.html'), '<!doctype html><script>boot()</script><script src="assets/app-5f3a9c21.js"></script>');
  await writeFile(join(dist, 'about/index.html'), 'about');
  await writeFile(join(dist, 'assets/app-5f3a9c21.js'), 'export {}');
  await writeFile(join(dist, 'assets/my-component.js'), 'export {}');
  await writeFile(join(dist, 'drawing.svg'), '<svg/>');
  await symlink('/etc/passwd', join(dist, 'passwd.txt'));
});
afterAll(() => rm(dist, { recursive: true, force: true }));

const refuse = (): never => {
  throw new AuthError('no');
};

async function serve(auth: 'inherit' | 'platform' | 'public', parts: Partial<FrontendParts> = {}): Promise<string> {
  const { card } = declare(new Paged());
  const face = await createFrontend({ dist, mount: '/app', auth }, { card, authenticate: () => ({}), authenticateUser: refuse, attached: true, ...parts });
  const server = createServer((req, res) => {
    const path = (req.url ?? '').split('?')[0] ?? '';
    face.handle(req, res, path).catch((error: unknown) => error instanceof SvcError && sendError(res, error, 'req_1'));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => new Promise((resolve) => server.close(() => resolve())));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`; // listening on a port
}

/** As sent: fetch would tidy paths up and call itself `cors`. */
function raw(url: string, path: string, headers: Record<string, string> = {}): Promise<{ status: number; location: string }> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { path, headers }, (res) => resolve({ status: res.resume().statusCode ?? 0, location: res.headers.location ?? '' }));
    sent.on('error', reject).end();
  });
}

const page = { accept: 'text/html,*/*' };

describe('the packed frontend', () => {
  it('is served at its mount, with a policy that names its inline scripts', cites('service.routes'), async () => {
    const url = await serve('public');
    const index = await fetch(`${url}/app/`, { headers: page });
    expect(index.status).toBe(200);
    expect(index.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(index.headers.get('content-security-policy')).toMatch(/script-src 'self' 'wasm-unsafe-eval' 'sha256-[^']+'; /);
    expect(index.headers.get('cache-control')).toBe('no-cache');
    const slashless = await fetch(`${url}/app`, { redirect: 'manual' });
    expect([slashless.status, slashless.headers.get('location')]).toEqual([301, '/app/']);
    expect(await (await fetch(`${url}/app/about`, { headers: page })).text()).toBe('about');
  });

  it('lets hashed files be kept for ever, others be asked for again', async () => {
    const url = await serve('public');
    const hashed = await fetch(`${url}/app/assets/app-5f3a9c21.js`);
    expect(hashed.headers.get('cache-control')).toMatch(/immutable/);
    const plain = await fetch(`${url}/app/assets/my-component.js`);
    expect(plain.headers.get('cache-control')).toBe('no-cache');
    const again = await fetch(`${url}/app/assets/my-component.js`, { headers: { 'if-none-match': plain.headers.get('etag') ?? '' } });
    expect([again.status, await again.text()]).toEqual([304, '']);
    const head = await fetch(`${url}/app/assets/my-component.js`, { method: 'HEAD' });
    expect([head.headers.get('content-length'), await head.text()]).toEqual(['9', '']);
  });

  it("answers a page's own routes with index.html, and a missing file with 404", async () => {
    const url = await serve('public');
    expect(await (await fetch(`${url}/app/orders/17`, { headers: page })).text()).toContain('boot()');
    expect((await fetch(`${url}/app/assets/gone.js`, { headers: page })).status).toBe(404);
    expect((await fetch(`${url}/app/orders/17`)).status).toBe(404);
    expect((await fetch(`${url}/app/`, { method: 'POST' })).status).toBe(405);
  });

  it.each([
    '/app/../../../etc/passwd',
    '/app/%2e%2e/%2e%2e/etc/passwd',
    '/app/..%2f..%2fetc/passwd',
    '/app/%00',
    '/app/%',
    '/app/passwd.txt',
    '/app//etc/passwd',
  ])('opens nothing that is not in the bundle: %s', async (path) => {
    const url = await serve('public');
    const { status } = await raw(url, path);
    expect(status).toBe(404);
  });

  it('runs no script in a drawing that is opened by itself', async () => {
    const drawing = await fetch(`${await serve('public')}/app/drawing.svg`);
    expect(drawing.headers.get('content-security-policy')).toMatch(/default-src 'none'.*sandbox/);
    expect(drawing.headers.get('x-content-type-options')).toBe('nosniff');
  });

  it('publishes its contract at config.json', cites('endpoints.app'), async () => {
    const config = FrontendConfig.parse(await (await fetch(`${await serve('public')}/app/config.json`)).json());
    expect(config).toMatchObject({
      agent: { name: 'paged', version: '0.1.0' },
      mount: '/app',
      auth: 'public',
      skills: [{ id: 'greet', stream: true, url: '/invoke/greet' }],
    });
    expect(config.sign_in_url).toBe('/.svc/session/start?next=%2Fapp%2F');
  });
});

describe('who may see it', () => {
  it('inherit: whom the agent lets in', cites('endpoints.app'), async () => {
    expect((await fetch(`${await serve('inherit')}/app/`)).status).toBe(200);
    const closed = await serve('inherit', { authenticate: refuse });
    expect((await fetch(`${closed}/app/`)).status).toBe(401);
    expect((await fetch(`${closed}/app/config.json`)).status).toBe(401);
  });

  it('inherit: in a browser, which cannot send a bearer token by itself, also whom the platform signed in; without a platform nobody else', async () => {
    const signedIn = { authenticate: refuse, authenticateUser: () => ({ sub: 'u' }) };
    expect((await raw(await serve('inherit', signedIn), '/app/', page)).status).toBe(200);
    expect((await raw(await serve('inherit', { authenticate: refuse }), '/app/', page)).status).toBe(302);
    expect((await raw(await serve('inherit', { ...signedIn, attached: false }), '/app/', page)).status).toBe(401);
  });

  it('what is not for everybody is kept by nobody between', async () => {
    const kept = async (auth: 'public' | 'platform') =>
      (await fetch(`${await serve(auth, { authenticateUser: () => ({}) })}/app/assets/app-5f3a9c21.js`)).headers.get('cache-control');
    expect(await kept('public')).toMatch(/^public/);
    expect(await kept('platform')).toMatch(/^private/);
  });

  it('platform: signed-in people; a browser is sent to sign in and back, a program is told', cites('endpoints.app'), async () => {
    const open = await serve('platform', { authenticateUser: () => ({ sub: 'u' }) });
    expect((await fetch(`${open}/app/`)).status).toBe(200);
    const closed = await serve('platform', { authenticateUser: refuse });
    const sent = await raw(closed, '/app/orders?x=1', page);
    expect(sent.status).toBe(302);
    expect(new URL(sent.location, closed).searchParams.get('next')).toBe('/app/orders?x=1');
    expect((await raw(closed, '/app/assets/app-5f3a9c21.js', { ...page, 'sec-fetch-mode': 'no-cors' })).status).toBe(401);
    const told = await fetch(`${closed}/app/orders`);
    expect([told.status, await told.text()]).toEqual([401, expect.stringContaining('/.svc/session/start?next=%2Fapp%2Forders')]);
  });

  it('platform without a platform: nobody', async () => {
    const alone = await serve('platform', { attached: false });
    expect((await raw(alone, '/app/', page)).status).toBe(401);
  });
});
