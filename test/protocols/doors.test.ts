// An agent's doors, through the real ingress: pages of other origins, slashes too many, packed bodies and
// answers.
import { brotliCompressSync, brotliDecompressSync, constants, gzipSync, gunzipSync, zstdCompressSync } from 'node:zlib';
import { expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { Agent } from '#sdk/typescript/authoring/agent.ts';
import { skill } from '#sdk/typescript/authoring/skill.ts';
import { hosted, type HostedOptions } from './a2a-world.ts';
import { ask, type Asked } from './ask.ts';

class Echo extends Agent {
  name = 'echo';
  description = 'For tests.';
  version = '1.0.0';
  say = skill({ input: z.object({ word: z.string() }) }, async (_ctx, { word }) => ({ said: word }));
}

const HOST = 'echo.agents.example';
const PAGE = 'https://app.example';
const JSON_TYPE = { 'content-type': 'application/json' };
const PING = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} });
const MCP = { ...JSON_TYPE, accept: 'application/json, text/event-stream' };

async function served(options?: HostedOptions) {
  const world = await hosted(new Echo(), options);
  onTestFinished(() => world.stop());
  type More = { host?: string; headers?: Record<string, string>; method?: string };
  const at = (path: string, { host = HOST, headers = {}, ...more }: More & { body?: string | Buffer } = {}): Promise<Asked> =>
    ask(world.url, path, { headers: { host, ...headers }, ...more });
  return {
    calls: world.calls,
    at,
    say: (headers: Record<string, string> = {}, body: string | Buffer = '{"word":"hi"}', path = '/invoke/say', host = HOST) =>
      at(path, { method: 'POST', host, headers: { ...JSON_TYPE, ...headers }, body }),
    preflight: (path: string, origin: string, { host = HOST, headers = {} }: More = {}) =>
      at(path, {
        method: 'OPTIONS',
        host,
        headers: { origin, 'access-control-request-method': 'POST', 'access-control-request-headers': 'authorization,content-type', ...headers },
      }),
  };
}

test('a page of any public origin calls a public agent by every protocol, without credentials of the browser', async () => {
  const { preflight, say, at, calls } = await served();
  for (const path of ['/invoke/say', '/mcp', '/a2a', '/ag-ui', '/message:send', '/mcp/']) {
    const { status, headers } = await preflight(path, PAGE);
    expect([path, status, headers['access-control-allow-origin'], headers['access-control-allow-credentials']]).toEqual([path, 204, PAGE, undefined]);
    expect(headers['access-control-allow-headers']).toMatch(/\*.*authorization/);
    expect([headers['vary'], headers['access-control-allow-private-network']]).toEqual(['origin', undefined]);
  }
  // No agent was woken for it.
  expect(calls).toEqual([]);
  const answered = await say({ origin: PAGE });
  expect([answered.status, answered.text]).toEqual([200, '{"said":"hi"}']);
  expect(answered.headers).toMatchObject({ 'access-control-allow-origin': PAGE, 'access-control-expose-headers': '*', vary: 'origin' });
  expect((await at('/mcp', { method: 'POST', headers: { ...MCP, origin: PAGE }, body: PING })).status).toBe(200);
  // What the agent refuses is read as well; without an Origin nothing of it is said.
  const refused = await at('/ag-ui', { method: 'POST', headers: { ...JSON_TYPE, origin: PAGE }, body: '{}' });
  expect([refused.status, refused.headers['access-control-allow-origin']]).toEqual([400, PAGE]);
  expect((await say()).headers['access-control-allow-origin']).toBeUndefined();
});

test('Origin: null, several origins, and pages of this machine or of a private network are refused before the agent is called', async () => {
  const { preflight, say, calls } = await served();
  const refused = [
    'null',
    `${PAGE}, https://b.example`,
    'http://localhost:3000',
    'http://127.0.0.1',
    'http://[::1]:3000',
    'http://10.0.0.7',
    'http://2130706433',
  ];
  for (const origin of [
    ...refused,
    'http://nas.local',
    'http://wiki.corp',
    'http://intranet',
    'http://echo.localhost:8080',
    'https://APP.example',
    'nonsense',
    '',
  ]) {
    const [asked, sent] = [await preflight('/invoke/say', origin), await say({ origin })];
    expect([origin, asked.status, sent.status, asked.headers['access-control-allow-origin'], sent.headers['access-control-allow-origin']]).toEqual([
      origin,
      403,
      403,
      undefined,
      undefined,
    ]);
    expect(sent.text).toContain('"code":"origin_not_allowed"');
  }
  expect(calls).toEqual([]);
});

test('an agent at an address of this machine or of a private network is called by listed pages alone', async () => {
  const open = await served();
  for (const host of ['echo.localhost:8080', 'echo.svc.internal', 'echo.home.arpa', 'echo.lan:8080']) {
    expect([host, (await open.preflight('/mcp', PAGE, { host })).status, (await open.say({ origin: PAGE }, undefined, undefined, host)).status]).toEqual([
      host,
      403,
      403,
    ]);
  }
  expect(open.calls).toEqual([]);
  const listed = await served({ allowedOrigins: [PAGE, 'http://localhost:3000'] });
  const host = 'echo.localhost:8080';
  const toPrivate = await listed.preflight('/mcp', PAGE, { host, headers: { 'access-control-request-private-network': 'true' } });
  expect([toPrivate.status, toPrivate.headers['access-control-allow-private-network']]).toEqual([204, 'true']);
  expect((await listed.say({ origin: 'http://localhost:3000' }, undefined, undefined, host)).status).toBe(200);
  // The list is all there is: exact, and for null no entry.
  for (const origin of ['https://other.example', 'http://app.example', `${PAGE}:8443`, `${PAGE}.evil.example`, 'null'])
    expect([origin, (await listed.say({ origin })).status]).toEqual([origin, 403]);
});

test('no page calls an unlisted agent until its owner lists it, and then with a token', async () => {
  const ada = { authorization: 'Bearer svc_ada' };
  const closed = await served({ visibility: 'unlisted' });
  expect([(await closed.preflight('/mcp', PAGE)).status, (await closed.say({ origin: PAGE, ...ada })).status]).toEqual([403, 403]);
  expect((await closed.say(ada)).status).toBe(200);
  const listed = await served({ visibility: 'unlisted', allowedOrigins: [PAGE] });
  expect((await listed.preflight('/mcp', PAGE)).status).toBe(204);
  expect((await listed.say({ origin: PAGE, ...ada })).status).toBe(200);
  // A page reads where to sign in.
  const anonymous = await listed.at('/mcp', { method: 'POST', headers: { ...MCP, origin: PAGE }, body: PING });
  expect([anonymous.status, anonymous.headers['access-control-allow-origin'], anonymous.headers['www-authenticate']]).toEqual([
    401,
    PAGE,
    expect.stringContaining('resource_metadata='),
  ]);
  const none = await served({ allowedOrigins: [] });
  expect((await none.say({ origin: PAGE })).status).toBe(403);
});

test('its own pages are not asked, and addresses beside the protocols stay as they were', async () => {
  const { say, at } = await served({ allowedOrigins: [] });
  expect((await say({ origin: `https://${HOST}` })).status).toBe(200);
  const card = await at('/.well-known/agent-card.json', { headers: { origin: PAGE } });
  expect([card.status, card.headers['access-control-allow-origin']]).toEqual([200, '*']);
});

test('slashes too many are served in place; what could be read as another path is not', async () => {
  const { say, at, calls } = await served({ visibility: 'unlisted' });
  const ada = { authorization: 'Bearer svc_ada' };
  for (const path of ['/invoke/say', '/invoke/say/', '//invoke/say', '/invoke//say//', '/invoke/say/?x=1'])
    expect([path, (await say(ada, undefined, path)).text]).toEqual([path, '{"said":"hi"}']);
  for (const path of ['/mcp/', '//mcp', '//mcp//'])
    expect([path, (await at(path, { method: 'POST', headers: { ...MCP, ...ada }, body: PING })).status]).toEqual([path, 200]);
  for (const path of ['/a2a/', '//a2a', '/ag-ui//'])
    expect([path, (await at(path, { method: 'POST', headers: { ...JSON_TYPE, ...ada }, body: '{}' })).status]).not.toEqual([path, 404]);
  // Each was a call, and left its receipt.
  expect(calls.filter(({ path }) => path === '/invoke/say')).toHaveLength(5);
  expect(calls.filter(({ path }) => path === '/mcp')).toHaveLength(3);
  expect((await at('//.well-known//oauth-protected-resource/mcp/')).status).toBe(200);
  for (const path of [
    '//runs/run_1/events',
    '/invoke//../runs/run_1/cancel',
    '/invoke/%2e%2e/answers/q',
    '//answers//q',
    '/mcp/..//scope-grants/x',
    '/%2fruns/x',
  ])
    expect([path, (await at(path, { headers: ada })).status]).toEqual([path, 404]);
  expect(calls).toHaveLength(11);
});

test('a body packed with gzip, br or zstd is read as its sender meant it; another packing is 415 with those that are taken', async () => {
  const { say } = await served();
  const body = Buffer.from('{"word":"packed"}');
  for (const [encoding, bytes] of [
    ['gzip', gzipSync(body)],
    ['GZIP', gzipSync(body)],
    ['br', brotliCompressSync(body)],
    ['zstd', zstdCompressSync(body)],
    ['identity', body],
  ] as const)
    expect([encoding, (await say({ 'content-encoding': encoding }, bytes)).text]).toEqual([encoding, '{"said":"packed"}']);
  for (const encoding of ['compress', 'gzip, gzip', 'constructor', 'aes128gcm']) {
    const { status, headers, text } = await say({ 'content-encoding': encoding }, gzipSync(body));
    expect([encoding, status, headers['accept-encoding']]).toEqual([encoding, 415, 'gzip, br, zstd, deflate']);
    expect(text).toContain('content_encoding_unsupported');
  }
  const broken = await say({ 'content-encoding': 'gzip' }, body);
  expect([broken.status, JSON.parse(broken.text)]).toMatchObject([400, { detail: { code: 'body_not_packed' } }]);
  // No bytes of a page that are no UTF-8, packed or not.
  expect((await say({ 'content-encoding': 'gzip' }, gzipSync(Buffer.from([0xff, 0xfe])))).text).toContain('body_not_utf8');
});

test('what unpacks to more than a call may have is cut off', async () => {
  const { say, calls } = await served();
  const bomb = Buffer.alloc(32 * 1024 * 1024, 0x20);
  for (const [encoding, bytes] of [
    ['gzip', gzipSync(bomb)],
    ['br', brotliCompressSync(bomb, { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } })],
    ['zstd', zstdCompressSync(bomb)],
  ] as const)
    expect([encoding, (await say({ 'content-encoding': encoding }, bytes)).status]).toEqual([encoding, 413]);
  expect(calls).toEqual([]);
});

test('a large answer is packed for who takes it, unless a browser may have sent it on its own', async () => {
  const { say } = await served();
  const word = 'again '.repeat(2_000);
  const body = JSON.stringify({ word });
  const asked = { 'accept-encoding': 'gzip, deflate, br' };
  const br = await say(asked, body);
  expect([br.headers['content-encoding'], br.headers['vary'], JSON.parse(brotliDecompressSync(br.bytes).toString())]).toEqual([
    'br',
    'accept-encoding',
    { said: word },
  ]);
  const gz = await say({ 'accept-encoding': 'br;q=0, gzip' }, body);
  expect([gz.headers['content-encoding'], JSON.parse(gunzipSync(gz.bytes).toString())]).toEqual(['gzip', { said: word }]);
  const plain = [{}, { 'accept-encoding': 'identity' }, { ...asked, cookie: 'a=b' }, { ...asked, cookie: 'a=b', 'sec-fetch-site': 'cross-site' }];
  for (const headers of [...plain, { ...asked, cookie: 'a=b', 'sec-fetch-site': 'same-site' }] as Record<string, string>[])
    expect([headers, (await say(headers, body)).headers['content-encoding']]).toEqual([headers, undefined]);
  expect((await say({ ...asked, cookie: 'a=b', 'sec-fetch-site': 'same-origin' }, body)).headers['content-encoding']).toBe('br');
  expect((await say(asked)).headers['content-encoding']).toBeUndefined();
});
