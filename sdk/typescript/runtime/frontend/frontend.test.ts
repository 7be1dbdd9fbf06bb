import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer, IncomingMessage, request, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { Agent } from '../../authoring/agent.ts';
import { declare } from '../../authoring/declare.ts';
import { AuthError, SkillInvocationError, SvcError } from '../../authoring/errors.ts';
import { skill } from '../../authoring/skill.ts';
import { sendError } from '../http.ts';
import type { FrontendOptions } from '../options.ts';
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

async function serve(auth: 'inherit' | 'platform' | 'public', parts: Partial<FrontendParts> = {}, more: Partial<FrontendOptions> = {}): Promise<string> {
  const { card } = declare(new Paged());
  const face = await createFrontend(
    { dist, mount: '/app', auth, ...more },
    { card, authenticate: () => ({}), authenticateUser: refuse, attached: true, ...parts },
  );
  const server = createServer((req, res) => {
    const path = (req.url ?? '').split('?')[0] ?? '';
    face.handle(req, res, path).catch((error: unknown) => sendError(res, error instanceof SvcError ? error : new SkillInvocationError('failed'), 'req_1'));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => new Promise((resolve) => server.close(() => resolve())));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`; // listening on a port
}

describe('a server-rendered frontend', () => {
  const programs: string[] = [];
  afterAll(() => Promise.all(programs.map((folder) => rm(folder, { recursive: true, force: true }))));

  async function rendered(program: string, options: { auth?: 'inherit' | 'public' } = {}): Promise<string> {
    const folder = await mkdtemp(join(tmpdir(), 'svc-rendered-'));
    programs.push(folder);
    await mkdir(join(folder, 'client'));
    await writeFile(join(folder, 'client/app-5f3a9c21.js'), 'export {}');
    await writeFile(join(folder, 'client/index.html'), 'the template of the page');
    await writeFile(join(folder, 'server.cjs'), program);
    return serve(options.auth ?? 'public', {}, { dist: folder, mode: 'server-rendered' });
  }

  it('writes pages by its program, which gets the contract and a nonce that the policy names, and nothing that proves who asks', async () => {
    const url = await rendered(`exports.handle = async (req, res, { config, nonce }) => {
      res.setHeader('content-type', 'text/html; charset=utf-8');
      res.end(JSON.stringify({ path: req.url, headers: req.headers, raw: req.rawHeaders, agent: config.agent.name, nonce }));
    };`);
    const secrets = { authorization: 'Bearer s3cret', cookie: 'session=s3cret', 'x-svc-setup': 's3cret' };
    const page = await fetch(`${url}/app/any/way?q=1`, { headers: { accept: 'text/html', 'accept-language': 'de', ...secrets } });
    const text = await page.text();
    const said = JSON.parse(text) as { nonce: string };
    expect(said).toMatchObject({ path: '/app/any/way?q=1', agent: 'paged', headers: { 'accept-language': 'de' } });
    expect(text).not.toContain('s3cret');
    expect(page.headers.get('content-security-policy')).toContain(`'nonce-${said.nonce}'`);
    expect([page.headers.get('cache-control'), page.headers.get('x-content-type-options')]).toEqual(['no-store', 'nosniff']);
    const again = JSON.parse(await (await fetch(`${url}/app/`)).text()) as { nonce: string };
    expect(again.nonce).not.toBe(said.nonce);
  });

  it('serves only files of client/, none of its pages and nothing beside it', async () => {
    const url = await rendered(`exports.handle = (req, res) => { res.statusCode = 404; res.end('written'); };`);
    const file = await fetch(`${url}/app/app-5f3a9c21.js`);
    expect([file.status, await file.text(), file.headers.get('cache-control')]).toEqual([200, 'export {}', 'public, max-age=31536000, immutable']);
    for (const path of ['index.html', '', 'server.cjs', 'client/app-5f3a9c21.js', '..%2fserver.cjs'])
      expect(await (await fetch(`${url}/app/${path}`)).text(), path).toBe('written');
    expect(FrontendConfig.parse(await (await fetch(`${url}/app/config.json`)).json()).agent.name).toBe('paged');
    expect((await fetch(`${url}/app/`, { method: 'POST' })).status).toBe(405);
  });

  it('keeps its door: the program is not asked for who may not come in', async () => {
    const url = await rendered(`exports.handle = (req, res) => res.end('written');`, { auth: 'inherit' });
    expect((await fetch(`${url}/app/`)).status).toBe(200);
    const { card } = declare(new Paged());
    const face = createFrontend(
      { dist: programs.at(-1) ?? '', mount: '/app', auth: 'inherit', mode: 'server-rendered' },
      { card, authenticate: refuse, authenticateUser: refuse, attached: false },
    );
    await expect((await face).handle(new IncomingMessage(new Socket()), new ServerResponse(new IncomingMessage(new Socket())), '/app/')).rejects.toThrow();
  });

  it('answers 500 where the program throws, breaks a half page off, and says what is wrong with a program that cannot be loaded', async () => {
    const url = await rendered(`exports.handle = async (req, res) => {
      if (req.url.endsWith('half')) { res.write('half'); await new Promise((done) => setImmediate(done)); }
      throw new Error('of the author');
    };`);
    const failed = await fetch(`${url}/app/`);
    expect(failed.status).toBe(500);
    expect(await failed.text()).not.toContain('of the author');
    await expect(fetch(`${url}/app/half`).then((half) => half.text())).rejects.toThrow();
    await expect(rendered('exports.other = 1;')).rejects.toThrow(/server\.cjs exports no function handle/);
  });
});

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

  it('runs no script in a drawing that is opened on its own', async () => {
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

  it('inherit: in a browser, which cannot send a bearer token, users whom the platform signed in, too; without a platform only bearer tokens', async () => {
    const signedIn = { authenticate: refuse, authenticateUser: () => ({ sub: 'u' }) };
    expect((await raw(await serve('inherit', signedIn), '/app/', page)).status).toBe(200);
    expect((await raw(await serve('inherit', { authenticate: refuse }), '/app/', page)).status).toBe(302);
    expect((await raw(await serve('inherit', { ...signedIn, attached: false }), '/app/', page)).status).toBe(401);
  });

  it('non-public answers are not cached by proxies', async () => {
    const kept = async (auth: 'public' | 'platform') =>
      (await fetch(`${await serve(auth, { authenticateUser: () => ({}) })}/app/assets/app-5f3a9c21.js`)).headers.get('cache-control');
    expect(await kept('public')).toMatch(/^public/);
    expect(await kept('platform')).toMatch(/^private/);
  });

  it('platform: signed-in users; a browser is sent to sign in and back, a program is refused', cites('endpoints.app'), async () => {
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

  it('platform without a platform: all are refused', async () => {
    const alone = await serve('platform', { attached: false });
    expect((await raw(alone, '/app/', page)).status).toBe(401);
  });
});
