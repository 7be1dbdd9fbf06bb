// Credentials of callers on the way out: real sockets and real TLS; the guest has a sealed text and tries
// what it can with it.
import { readFile } from 'node:fs/promises';
import { request } from 'node:http';
import { createServer as createTcp, type AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { encryptSetup, setupKeyOf } from '#contract/crypto/encrypted-setup.ts';
import { type Credential, FIELDS_HEADER, SETUP_HEADER, type SetupInjection } from '#contract/wire/setup-injection.ts';
import { tlsService } from '#test/support/tls.ts';
import { createEgressProxy } from './proxy.ts';

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

const key = setupKeyOf(new Uint8Array(32).fill(7), 'shop');
const hosts = ['api.test'];
const one = (field: string, inject: object, value: string): Credential => ({ field, value, inject: { hosts, ...inject } as SetupInjection });
const all = [
  one('header', { as: 'header', name: 'X-Key' }, 's3cret-header'),
  one('bearer', { as: 'header', name: 'authorization', scheme: 'Bearer' }, 's3cret-bearer'),
  one('query', { as: 'query', name: 'api key' }, 's3cret&query'),
  one('cookie', { as: 'cookie', name: 'sid' }, 's3cret-cookie'),
  one('user', { as: 'basic_username' }, 'ada'),
  one('password', { as: 'basic_password' }, 's3cret:pässword'),
  one('client_id', { as: 'oauth2_client_id', token_url: 'https://api.test/token', scope: 'read' }, 'me'),
  one('client_secret', { as: 'oauth2_client_secret', token_url: 'https://api.test/token', scope: 'read' }, 's3cret-client'),
  one('cert', { as: 'tls_certificate' }, 'no certificate'),
  one('cert_key', { as: 'tls_key' }, 'no key'),
];

interface Heard {
  url: string | undefined;
  headers: Record<string, unknown>;
  body: string;
}

async function setting({ keyless = false } = {}) {
  const heard: Heard[] = [];
  let tokens = 0;
  const service = await tlsService('api.test', (req, res) => {
    let body = '';
    req.on('data', (chunk) => (body += String(chunk)));
    req.on('end', () => {
      heard.push({ url: req.url, headers: req.headers, body });
      if (req.url === '/token') return res.end(JSON.stringify({ access_token: `token-${(tokens += 1)}`, expires_in: 3600 }));
      res.writeHead(req.url === '/refused' ? 401 : 200).end('heard');
    });
  });
  closers.push(() => service.close());
  const refusals: string[] = [];
  const proxy = createEgressProxy({
    policy: { allowHosts: [], allowInternalServices: [] },
    configuration: { services: {}, trustedHosts: ['api.test', 'other.test'] },
    onRefusal: (line) => refusals.push(line),
    lookup: async () => ['127.0.0.1'],
    injectTls: { port: service.port, ca: await readFile(service.caFile, 'utf8') },
    ...(!keyless && { setupKey: key }),
  });
  closers.push(() => proxy.close());
  const server = createTcp((socket) => proxy.handle(socket));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closers.push(() => server.close());
  const { port } = server.address() as AddressInfo;
  const ask = (path: string, fields: string, more: { host?: string; sealed?: string; headers?: Record<string, string> } = {}) =>
    new Promise<{ status: number; text: string }>((resolve, reject) => {
      const { host = 'api.test', sealed = encryptSetup(key, all, Date.now()), headers = {} } = more;
      const sent = request(
        {
          host: '127.0.0.1',
          port,
          path: `http://${host}.svc-inject.internal${path}`,
          headers: { ...headers, [SETUP_HEADER]: sealed, [FIELDS_HEADER]: fields },
        },
        (res) => {
          let text = '';
          res.on('data', (chunk) => (text += String(chunk))).on('end', () => resolve({ status: res.statusCode ?? 0, text }));
        },
      );
      sent.on('error', reject).end();
    });
  return { ask, heard, refusals };
}

test('each kind of credential is written where its field says, over what the guest wrote there', async () => {
  const { ask, heard } = await setting();
  await ask('/a?x=1&api%20key=mine', 'header,query,cookie', { headers: { 'x-key': 'mine', cookie: 'sid=mine; theme=dark' } });
  await ask('/b', 'bearer');
  await ask('/c', 'user,password');
  expect(heard).toMatchObject([
    { url: '/a?x=1&api%20key=s3cret%26query', headers: { 'x-key': 's3cret-header', cookie: 'theme=dark; sid=s3cret-cookie', host: 'api.test' } },
    { url: '/b', headers: { authorization: 'Bearer s3cret-bearer' } },
    { url: '/c', headers: { authorization: `Basic ${Buffer.from('ada:s3cret:pässword').toString('base64')}` } },
  ]);
  for (const { headers } of heard) expect(Object.keys(headers)).not.toContain(SETUP_HEADER);
});

test('a token of OAuth 2 is fetched once for calls at the same time, and again when the API refuses it', async () => {
  const { ask, heard } = await setting();
  await Promise.all([1, 2, 3].map(() => ask('/d', 'client_id,client_secret')));
  expect(heard.filter(({ url }) => url === '/token')).toMatchObject([
    { body: 'grant_type=client_credentials&scope=read', headers: { authorization: `Basic ${Buffer.from('me:s3cret-client').toString('base64')}` } },
  ]);
  expect(heard.filter(({ url }) => url === '/d').map(({ headers }) => headers['authorization'])).toEqual(Array(3).fill('Bearer token-1'));
  await ask('/refused', 'client_id,client_secret');
  await ask('/d', 'client_id,client_secret');
  expect(heard.at(-1)?.headers['authorization']).toBe('Bearer token-2');
});

test('nothing goes to another host, of another agent, altered, too old, or without a key; no answer or log line has a value', async () => {
  const { ask, heard, refusals } = await setting();
  const sealed = encryptSetup(key, all, Date.now());
  const altered = `${sealed.slice(0, -4)}${sealed.endsWith('AAAA') ? 'BBBB' : 'AAAA'}`;
  const answers = [
    await ask('/', 'header', { host: 'other.test' }),
    await ask('/', 'header', { sealed: encryptSetup(setupKeyOf(new Uint8Array(32).fill(7), 'other'), all, Date.now()) }),
    await ask('/', 'header', { sealed: altered }),
    await ask('/', 'header', { sealed: encryptSetup(key, all, Date.now() - 48 * 3600_000) }),
    await ask('/', 'nothing'),
    await ask('/', 'cert,cert_key'),
    await (await setting({ keyless: true })).ask('/', 'header'),
  ];
  expect(answers.map(({ status }) => status)).toEqual([403, 403, 403, 403, 403, 403, 403]);
  expect(heard).toEqual([]);
  expect(JSON.stringify([answers, refusals])).not.toContain('s3cret');
});
