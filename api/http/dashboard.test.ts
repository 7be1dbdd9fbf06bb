// The dashboard's files as they are served: only to browsers, under a policy that runs no inline script, and
// nothing beside them.
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliCompressSync, brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib';
import Koa from 'koa';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createApiServer, type ApiServer } from '../server.ts';
import { dashboard } from './dashboard.ts';
import { createLogger } from './log.ts';
import { createMetrics } from './metrics.ts';
import { frame } from './frame.ts';
import { securityHeaders } from './security-headers.ts';
import type { HttpState } from './state.ts';

const SCRIPT = 'console.log("the page")';
let folder: string;
let server: ApiServer;
let url: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-dashboard-'));
  await mkdir(join(folder, 'assets/docs'), { recursive: true });
  await writeFile(join(folder, 'index.html'), '<head><meta nonce="SVC_NONCE"><script src="/assets/a-01234567.js" nonce="SVC_NONCE"></script></head>');
  await writeFile(
    join(folder, 'pages.json'),
    JSON.stringify({
      all: { scripts: [], styles: [] },
      pages: [{ path: '/runs/$run_id', scripts: ['assets/run.js'], styles: ['assets/run.css'] }],
    }),
  );
  await writeFile(join(folder, 'assets/a-01234567.js'), SCRIPT);
  await writeFile(join(folder, 'assets/a-01234567.js.gz'), gzipSync(SCRIPT));
  await writeFile(join(folder, 'assets/a-01234567.js.br'), brotliCompressSync(SCRIPT));
  await writeFile(join(folder, 'assets/docs/b.svg'), '<svg/>');
  await writeFile(join(folder, 'assets/notes.txt'), 'not served');
  await writeFile(join(folder, 'secret.js'), 'not served');
  await mkdir(join(folder, 'docs'));
  await writeFile(join(folder, 'docs.md'), '# Start');
  await writeFile(join(folder, 'docs/concepts.md'), '# Concepts');
  await writeFile(join(folder, 'llms.txt'), '# svc');
  await writeFile(join(folder, 'licenses.md'), '# Licenses');
  const app = new Koa<HttpState>();
  app.use(frame(createLogger('silent'), createMetrics(), 'http://localhost:8080'));
  app.use(securityHeaders({ https: false }));
  app.use((await dashboard(folder)).pages);
  server = createApiServer({ api: app.callback(), stopping: new AbortController() });
  url = await server.listen(0, '127.0.0.1');
});
afterAll(async () => {
  await server.close();
  await rm(folder, { recursive: true });
});

interface Answer {
  status: number | undefined;
  headers: Record<string, unknown>;
  body: Buffer;
}

/** As it is written, without what fetch would mend. */
function ask(path: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(url);
    request({ hostname, port, path, method, headers }, (response) => {
      const chunks: Buffer[] = [];
      response
        .on('data', (chunk: Buffer) => chunks.push(chunk))
        .on('end', () => resolve({ status: response.statusCode, headers: response.headers, body: Buffer.concat(chunks) }));
    })
      .once('error', reject)
      .end();
  });
}
const asBrowser = { accept: 'text/html,application/xhtml+xml', 'sec-fetch-mode': 'navigate' };

test('a browser gets the page at every address, with a nonce of its own each time', async () => {
  const answers = await Promise.all(['/', '/agents/x', '/no/such/page', '/agents/a%2fb?tab=try'].map((path) => ask(path, asBrowser)));
  const nonces = answers.map(({ status, headers, body }) => {
    expect([status, headers['cache-control'], headers['content-type']]).toEqual([200, 'no-store', 'text/html; charset=utf-8']);
    const nonce = /'nonce-([^']+)'/.exec(String(headers['content-security-policy']))?.[1] ?? '';
    expect(String(body)).toBe(`<head><meta nonce="${nonce}"><script src="/assets/a-01234567.js" nonce="${nonce}"></script></head>`);
    return nonce;
  });
  expect(new Set(nonces).size).toBe(answers.length);
});

test('the page of an address names the files that it needs of its own', async () => {
  const { body } = await ask('/runs/run_1?tab=events', asBrowser);
  expect(String(body)).toContain(
    '<link rel="stylesheet" crossorigin href="/assets/run.css"><link rel="modulepreload" crossorigin href="/assets/run.js"></head>',
  );
});

test('the policy lets scripts of this origin run and nothing inline, and lets the page load from nowhere else', async () => {
  const { headers } = await ask('/', asBrowser);
  const policy = new Map(
    String(headers['content-security-policy'])
      .split('; ')
      .map((directive) => [directive.slice(0, directive.indexOf(' ')), directive.slice(directive.indexOf(' ') + 1)]),
  );
  expect(policy.get('default-src')).toBe("'none'");
  expect(policy.get('script-src')).toBe("'self'");
  expect(policy.get('style-src')).not.toContain('unsafe');
  for (const name of ['connect-src', 'form-action', 'font-src']) expect(policy.get(name)).toBe("'self'");
  for (const name of ['frame-ancestors', 'base-uri', 'object-src']) expect(policy.get(name)).toBe("'none'");
  expect(headers['x-frame-options']).toBe('DENY');
});

test('HEAD answers as GET does, and who takes anything gets the first page', async () => {
  for (const path of ['/', '/agents/x']) {
    const [page, head] = [await ask(path, asBrowser), await ask(path, asBrowser, 'HEAD')];
    expect([head.status, head.headers['content-type'], head.headers['content-length'], head.body.length]).toEqual([
      page.status,
      'text/html; charset=utf-8',
      page.headers['content-length'],
      0,
    ]);
  }
  for (const headers of [{ accept: '*/*' }, {}, { accept: 'text/*, application/json;q=0.5' }]) {
    expect(await ask('/', headers)).toMatchObject({ status: 200, headers: { 'content-type': 'text/html; charset=utf-8' } });
    expect((await ask('/', headers, 'HEAD')).status).toBe(200);
  }
  expect((await ask('/agents/x', { accept: '*/*' })).status).toBe(404);
  for (const accept of ['application/json', 'application/json, */*;q=0.1']) expect((await ask('/', { accept })).status).toBe(404);
});

test('programs get a refusal they can read, and so does who asks for what only programs have', async () => {
  expect((await ask('/agents/x', { accept: 'application/json' })).status).toBe(404);
  expect((await ask('/agents/x', { ...asBrowser, 'sec-fetch-mode': 'cors' })).status).toBe(404);
  expect((await ask('/agents/x', asBrowser, 'POST')).status).toBe(404);
  for (const path of ['/v1/nothing', '/v1', '/idp/x', '/git/x', '/llm/x', '/.well-known/x', '/assets/none.js'])
    expect(String((await ask(path, asBrowser)).body), path).not.toContain('nonce');
});

test('files are kept by their names, packed for who takes it, and whole for who does not', async () => {
  const packed = await ask('/assets/a-01234567.js', { 'accept-encoding': 'gzip, deflate, br' });
  expect([packed.status, packed.headers['content-encoding'], packed.headers['cache-control']]).toEqual([200, 'br', 'public, max-age=31536000, immutable']);
  expect(packed.headers['vary']).toMatch(/accept-encoding/i);
  expect(String(brotliDecompressSync(packed.body))).toBe(SCRIPT);
  for (const accepted of ['gzip', 'gzip, br;q=0']) {
    const older = await ask('/assets/a-01234567.js', { 'accept-encoding': accepted });
    expect([older.headers['content-encoding'], String(gunzipSync(older.body))]).toEqual(['gzip', SCRIPT]);
  }
  const plain = await ask('/assets/a-01234567.js');
  expect([plain.headers['content-encoding'], String(plain.body), plain.headers['content-type']]).toEqual([undefined, SCRIPT, 'text/javascript; charset=utf-8']);
  const head = await ask('/assets/docs/b.svg', {}, 'HEAD');
  expect([head.status, head.headers['content-length'], head.body.length]).toEqual([200, '6', 0]);
});

test('nothing else of the folder is served, by whatever way', async () => {
  const ways = [
    '/secret.js',
    '/assets/../secret.js',
    '/assets/%2e%2e/secret.js',
    '/assets/..%2fsecret.js',
    '/assets//../secret.js',
    '/assets/notes.txt',
    '/index.html',
    '/assets/a-01234567.js.gz',
    '/assets/a-01234567.js.br',
    '/assets',
  ];
  for (const way of ways) {
    const { status, body } = await ask(way);
    expect([way, status, String(body).includes('not served')]).toEqual([way, 404, false]);
  }
});

test('the documentation is Markdown for who does not ask for a page, and a page for a browser', async () => {
  for (const [path, accept, body] of [
    ['/docs', '*/*', '# Start'],
    ['/docs/', undefined, '# Start'],
    ['/docs/concepts', 'text/markdown', '# Concepts'],
    ['/docs.md', '*/*', '# Start'],
    ['/docs/concepts.md', asBrowser.accept, '# Concepts'],
    ['/llms.txt', asBrowser.accept, '# svc'],
    ['/licenses.md', asBrowser.accept, '# Licenses'],
  ] as const) {
    const answered = await ask(path, accept === undefined ? {} : { accept });
    expect([path, answered.status, String(answered.body), answered.headers['vary']]).toEqual([path, 200, body, expect.stringMatching(/accept/i)]);
    expect(answered.headers['content-type']).toBe(path === '/llms.txt' ? 'text/plain; charset=utf-8' : 'text/markdown; charset=utf-8');
  }
  expect((await ask('/docs/concepts', asBrowser)).headers['content-type']).toBe('text/html; charset=utf-8');
  expect([(await ask('/docs/nowhere', { accept: '*/*' })).status, (await ask('/docs', { accept: 'application/json' })).status]).toEqual([404, 404]);
  expect((await ask('/docs', { accept: '*/*' }, 'HEAD')).body).toHaveLength(0);
  for (const path of ['/', '/docs', '/llms.txt']) {
    const refused = await ask(path, {}, 'POST');
    expect([path, refused.status, refused.headers['allow']]).toEqual([path, 405, 'GET, HEAD']);
  }
});

test('a folder without a build is refused with what to do', async () => {
  await expect(dashboard('/no/such/folder')).rejects.toThrow('node web/build/build.ts /no/such/folder');
});
