import { createServer } from 'node:http';
import { once } from 'node:events';
import { mkdir, readdir, readFile, realpath, stat, writeFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { z } from 'zod';
import { serveAuth } from '#api/routes/identity/test/sign-in.ts';
import { Browser } from '#drivers/idp/test-browser.ts';
import { Credential } from './credentials.ts';
import { EXIT } from '../lib/exit-codes.ts';
import { makeTool, type Tool } from '../test/tool.ts';
import { cites } from '#test/spec/verifies.ts';

let api: Awaited<ReturnType<typeof serveAuth>>;
let tool: Tool;

beforeAll(async () => {
  api = await serveAuth();
});
afterAll(() => api.close());
beforeEach(async () => {
  tool = await makeTool(api.baseUrl, api.folder);
});
afterEach(async () => {
  await tool.remove();
  expect(api.errors).toEqual([]);
});

const file = () => join(tool.home, '.svc', 'credentials.json');
async function cached(): Promise<Credential | undefined> {
  const content = z.object({ version: z.literal(1), apis: z.record(z.string(), Credential) }).parse(JSON.parse(await readFile(file(), 'utf8')));
  return content.apis[api.baseUrl];
}
async function edit(change: Partial<Credential>): Promise<void> {
  await writeFile(file(), JSON.stringify({ version: 1, apis: { [api.baseUrl]: { ...(await cached()), ...change } } }));
}

/** What the person does: opens the printed address, signs in, and the browser goes back to the tool. */
async function inBrowser(address: string, email: string): Promise<Response> {
  const browser = new Browser('http://127.0.0.1:');
  const page = await browser.get(new URL(address));
  const answer = await browser.post(page, { email, password: await api.password(email) });
  return fetch(answer.left ?? '');
}

test(
  'svc login --no-open: the address is printed, the browser comes back, the tokens are cached privately',
  cites('cli.login', 'login.browser_flow'),
  async () => {
    const login = tool.spawn(['login', '--no-open']);
    const [, address = ''] = await login.saw(/(http\S+\/idp\/auth\?\S+)/);
    const redirect = new URL(address).searchParams.get('redirect_uri') ?? '';
    expect(redirect).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/callback$/);
    expect(new URL(address).searchParams.get('code_challenge_method')).toBe('S256');
    // Whatever else knocks at the port does not disturb.
    expect((await fetch(new URL('/favicon.ico', redirect))).status).toBe(404);
    const answered = await inBrowser(address, 'ada@svc.local');
    expect(await answered.text()).toContain('You are signed in');
    expect(await login.ended).toMatchObject({ code: 0, out: `Signed in as ada@svc.local at ${api.baseUrl}.\n` });
    expect((await stat(file())).mode & 0o777).toBe(0o600);
    expect((await stat(join(tool.home, '.svc'))).mode & 0o777).toBe(0o700);
    expect(await cached()).toMatchObject({ email: 'ada@svc.local', issuer: api.idp.issuer, client_id: 'svc-cli' });
    expect((await tool.run(['whoami'])).out).toBe(`ada@svc.local (Ada Lovelace) at ${api.baseUrl}\n`);
    const json = await tool.run(['whoami', '--json']);
    expect(JSON.parse(json.out)).toMatchObject({ email: 'ada@svc.local', operator: false, api: api.baseUrl });
    expect(await readdir(join(tool.home, '.svc'))).toEqual(['credentials.json']);
  },
);

test('svc signup: the page of a new account, and the tool is signed in with it', cites('cli.signup'), async () => {
  const signup = tool.spawn(['signup', '--no-open', '--json']);
  const [, address = ''] = await signup.saw(/(http\S+\/idp\/auth\?\S+)/);
  const browser = new Browser('http://127.0.0.1:');
  const page = await browser.get(new URL(address));
  expect(page.body).toContain('Create an account');
  await fetch((await browser.post(page, { email: 'eve@example.com', name: 'Eve', password: 'a-long-enough-one' })).left ?? '');
  const { code, out } = await signup.ended;
  expect({ code, out: JSON.parse(out) }).toEqual({
    code: 0,
    out: { api: api.baseUrl, email: 'eve@example.com', name: 'Eve', operator: false, acts_only_for: null },
  });
  expect((await tool.run(['whoami'])).out).toBe(`eve@example.com (Eve) at ${api.baseUrl}\n`);
});

test('an answer with another state, or a refusal, does not sign in', async () => {
  const login = tool.spawn(['login', '--no-open']);
  const [, address = ''] = await login.saw(/(http\S+\/idp\/auth\?\S+)/);
  const redirect = new URL(new URL(address).searchParams.get('redirect_uri') ?? '');
  await fetch(`${redirect}?code=stolen&state=other&iss=${encodeURIComponent(api.idp.issuer)}`);
  expect(await login.ended).toMatchObject({ code: EXIT.failure, out: '' });
  const refused = tool.spawn(['signup', '--no-open']);
  const [, second = ''] = await refused.saw(/(http\S+\/idp\/auth\?\S+)/);
  const query = new URL(second).searchParams;
  await fetch(`${query.get('redirect_uri')}?error=access_denied&state=${query.get('state')}&iss=${encodeURIComponent(api.idp.issuer)}`);
  expect((await refused.ended).code).toBe(EXIT.notSignedIn);
  await expect(cached()).rejects.toThrow();
});

test('a taken port: another one, unless it was asked for by name', async () => {
  const busy = createServer().listen(0, '127.0.0.1');
  await once(busy, 'listening');
  const { port } = busy.address() as AddressInfo;
  try {
    const ran = await tool.run(['login', '--no-open', '--port', String(port)]);
    expect(ran).toMatchObject({ code: 1, out: '' });
    expect(ran.err).toContain(`Port ${port} is taken`);
  } finally {
    busy.close();
  }
  const login = [tool.spawn(['login', '--no-open']), tool.spawn(['login', '--no-open'])];
  const addresses = await Promise.all(login.map((one) => one.saw(/redirect_uri=(\S+?)&/)));
  expect(new Set(addresses.map(([, redirect]) => redirect)).size).toBe(2);
  for (const one of login) one.process.kill('SIGINT');
  await Promise.all(login.map((one) => one.ended));
});

test('--token and --local: a token from elsewhere, and one for a local account', cites('cli.login', 'cli.whoami'), async () => {
  const { access_token: token } = await api.tokens('ben@svc.local');
  expect(await tool.run(['login', '--token', token])).toMatchObject({ code: 0, out: `Signed in as ben@svc.local at ${api.baseUrl}.\n` });
  expect((await cached())?.refresh_token).toBeUndefined();
  const junk = await tool.run(['login', '--token', 'junk']);
  expect(junk).toMatchObject({ code: EXIT.notSignedIn, out: '' });
  expect((await tool.run(['whoami'])).out).toContain('ben@svc.local');
  expect(await tool.run(['login', '--local', 'operator@svc.local'])).toMatchObject({ code: 0 });
  expect((await tool.run(['whoami'])).out).toContain('operator');
  expect((await tool.run(['login', '--local', 'nobody@svc.local'])).err).toContain('no local account nobody@svc.local');
  expect((await tool.run(['whoami'], { env: { SVC_TOKEN: token } })).out).toContain('ben@svc.local');
});

test('logout forgets and revokes', cites('cli.logout'), async () => {
  await tool.run(['login', '--local', 'ada@svc.local']);
  const before = await cached();
  expect(await tool.run(['logout'])).toMatchObject({ code: 0, out: `Signed out of ${api.baseUrl}.\n`, err: '' });
  expect(await cached()).toBeUndefined();
  const body = new URLSearchParams({ grant_type: 'refresh_token', client_id: 'svc-cli', refresh_token: before?.refresh_token ?? '' });
  expect((await fetch(`${api.idp.issuer}/token`, { method: 'POST', body })).status).toBe(400);
  expect((await tool.run(['logout'])).out).toContain('not signed in');
  const after = await tool.run(['whoami']);
  expect(after).toMatchObject({ code: EXIT.notSignedIn, out: '' });
  expect(after.err).toContain('svc login');
});

test('eight processes at once with one old token: one refresh, no sign-out', async () => {
  await tool.run(['login', '--local', 'ada@svc.local']);
  for (let round = 0; round < 2; round++) {
    const before = await cached();
    await edit({ expires_at: Date.now() - 1000 });
    const processes = Array.from({ length: 8 }, () => tool.spawn(['whoami']));
    const ran = await Promise.all(processes.map((one) => one.ended));
    expect(ran.map(({ code, err }) => ({ code, err }))).toEqual(Array.from({ length: 8 }, () => ({ code: 0, err: '' })));
    expect((await cached())?.refresh_token).not.toBe(before?.refresh_token);
    expect((await cached())?.expires_at).toBeGreaterThan(Date.now() + 60_000);
  }
  // The family is alive: it would not be, had any token been used twice.
  await edit({ expires_at: 0 });
  expect((await tool.run(['whoami'])).code).toBe(0);
  expect(await readdir(join(tool.home, '.svc'))).toEqual(['credentials.json']);
});

test('a token the API refuses is renewed once, without asking', cites('login.bearer'), async () => {
  await tool.run(['login', '--local', 'ada@svc.local']);
  await edit({ access_token: 'no-longer-good' });
  expect((await tool.run(['whoami'])).code).toBe(0);
  expect((await cached())?.access_token).not.toBe('no-longer-good');
});

test('a sign-in that is over says so, and what to do', async () => {
  await tool.run(['login', '--local', 'ada@svc.local']);
  await edit({ expires_at: 0, refresh_token: 'used-up' });
  const ran = await tool.run(['whoami']);
  expect(ran).toMatchObject({ code: EXIT.notSignedIn, out: '' });
  expect(ran.err).toMatch(/is over.*svc login/s);
});

test('what does not exist, and what is damaged', async () => {
  const closed = createServer().listen(0, '127.0.0.1');
  await once(closed, 'listening');
  const nobody = `http://127.0.0.1:${(closed.address() as AddressInfo).port}`;
  closed.close();
  await once(closed, 'close');
  const gone = await tool.run(['whoami', '--api', nobody], { env: { SVC_TOKEN: 'x' } });
  expect(gone).toMatchObject({ code: EXIT.unreachable, out: '' });
  expect(gone.err).toContain('does not answer');
  expect((await tool.run(['login', '--issuer', `${nobody}/idp`])).code).toBe(EXIT.unreachable);
  expect((await tool.run(['whoami', '--api', 'ftp://x'])).code).toBe(EXIT.usage);
  await tool.run(['login', '--local', 'ada@svc.local']);
  await writeFile(file(), '{');
  const damaged = await tool.run(['whoami']);
  expect(damaged.code).toBe(EXIT.failure);
  expect(damaged.err).toContain('is damaged');
});

test('a wrong command line: what it should have been', async () => {
  expect((await tool.run(['whoamy'])).err).toContain('Did you mean: svc whoami?');
  expect(await tool.run(['logs', '-n', 'many', 'x'])).toMatchObject({ code: EXIT.usage, err: '--tail must be a whole number from 1 to 2000, not "many".\n' });
  expect((await tool.run(['receipt', 'verfy'])).err).toContain('svc receipt verify');
  expect((await tool.run(['--help'])).code).toBe(0);
  expect((await tool.run(['deploy', '--public', '--private'])).code).toBe(EXIT.usage);
});

test('local-deploy keeps the token it made, but not over the sign-in of somebody else', async () => {
  // Nothing takes uploads here: the token is made before that is found out.
  const project = join(tool.home, 'project');
  await mkdir(project);
  await writeFile(join(project, 'svc.yaml'), 'name: greeter\nversion: 0.1.0\nentrypoint: agent:Greeter\n');
  const local = (email: string) => tool.run(['local-deploy', project, '--no-validate', '--no-wait-control-plane', '--token-email', email]);
  expect((await local('ben@svc.local')).err).toContain('There is nothing at /v1/agents/from-tarball');
  expect((await tool.run(['whoami'])).out).toContain('ben@svc.local');
  await local('ada@svc.local');
  expect((await tool.run(['whoami'])).out).toContain('ben@svc.local');
  await tool.run(['logout']);
  await local('ada@svc.local');
  expect((await tool.run(['whoami'])).out).toContain('ada@svc.local');
});

test('through npx, svc inside a new project is this tool, not a package of that name from the registry', async () => {
  const made = await tool.run(['init', 'greeter', '--language', 'typescript', '--target', tool.home]);
  expect(made.code).toBe(0);
  expect(await realpath(join(tool.home, 'greeter', 'node_modules', '.bin', 'svc'))).toBe(fileURLToPath(new URL('../bin.mjs', import.meta.url)));
});
