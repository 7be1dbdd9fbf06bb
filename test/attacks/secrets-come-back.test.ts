// A hostile agent and a hostile API. The agent controls its whole machine and wants two things: to reach
// hosts that nobody named, and to read the credentials that its egress proxy adds. The API says back whatever
// it was sent, in every way that programs write text.
import { readFile } from 'node:fs/promises';
import { request, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createTcp, type AddressInfo } from 'node:net';
import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { encryptSetup, setupKeyOf } from '#contract/crypto/encrypted-setup.ts';
import { FIELDS_HEADER, SETUP_HEADER, type Credential, type SetupInjection } from '#contract/wire/setup-injection.ts';
import { createEgressProxy } from '#host/egress/proxy.ts';
import { tlsService } from '#test/support/tls.ts';

const OWNERS = 'sk/live+4f9a~Q"Zt7\'&w8-xPq';
const CALLERS = 'caller\\s3cret <pässwort> 99';
const key = setupKeyOf(new Uint8Array(32).fill(7), 'shop');
const field = (name: string, inject: object, value: string): Credential => ({
  field: name,
  value,
  inject: { hosts: ['api.test'], ...inject } as SetupInjection,
});
const sealed = encryptSetup(
  key,
  [
    field('password', { as: 'basic_password' }, CALLERS),
    field('query', { as: 'query', name: 'k' }, CALLERS),
    field('client', { as: 'oauth2_client_id', token_url: 'https://api.test/token' }, 'client'),
    field('client_secret', { as: 'oauth2_client_secret', token_url: 'https://api.test/token' }, CALLERS),
  ],
  Date.now(),
);

const codes = (text: string, write: (code: number) => string): string => Array.from(text, (one) => write(one.codePointAt(0) ?? 0)).join('');
const percent = (text: string): string => Array.from(Buffer.from(text), (byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');
/** What the API answers of a secret that it was sent. */
const WAYS: Readonly<Record<string, (secret: string) => string>> = {
  'as it is': (secret) => secret,
  'in an address': encodeURIComponent,
  'in a form': (secret) => new URLSearchParams({ secret }).toString(),
  'percent, every byte': percent,
  'percent, twice': (secret) => encodeURIComponent(encodeURIComponent(secret)),
  'in JSON': (secret) => JSON.stringify({ secret }),
  'in JSON in JSON': (secret) => JSON.stringify(JSON.stringify({ secret })),
  'in ASCII JSON': (secret) =>
    codes(secret, (code) => (code < 127 && code !== 34 && code !== 92 ? String.fromCodePoint(code) : `\\u${code.toString(16).padStart(4, '0')}`)),
  'in JSON, every character': (secret) => codes(secret, (code) => `\\u${code.toString(16).padStart(4, '0')}`),
  'in HTML': (secret) => secret.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;').replaceAll("'", '&#39;'),
  'in HTML, every character': (secret) => codes(secret, (code) => `&#x${code.toString(16)};`),
  'in hexadecimal': (secret) => Buffer.from(secret).toString('hex').toUpperCase(),
  'in base64': (secret) => Buffer.from(secret).toString('base64'),
  'in base64, one further': (secret) => Buffer.from(`x${secret}yz`).toString('base64'),
  'in base64, two further': (secret) => Buffer.from(`xy${secret}z`).toString('base64'),
  'in base64 of addresses': (secret) => Buffer.from(`xy${secret}`).toString('base64url'),
};
/** Each undone by the agent: what it could read of an answer. */
const READINGS: readonly ((text: string) => string)[] = [
  (text) => text,
  (text) => text.replaceAll('+', ' '),
  (text) => tried(() => decodeURIComponent(text.replaceAll('+', ' '))),
  (text) => tried(() => decodeURIComponent(decodeURIComponent(text))),
  (text) => text.replaceAll(/\\+u([0-9a-f]{4})/gi, (_all, code: string) => String.fromCodePoint(parseInt(code, 16))),
  (text) => text.replaceAll(/\\(["'\\/])/g, '$1'),
  (text) => text.replaceAll(/\\(["'\\/])/g, '$1').replaceAll(/\\(["'\\/])/g, '$1'),
  (text) => text.replaceAll(/&#x([0-9a-f]+);/gi, (_all, code: string) => String.fromCodePoint(parseInt(code, 16))),
  (text) => text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&quot;', '"').replaceAll('&#39;', "'").replaceAll('&amp;', '&'),
  (text) => Buffer.from(text, 'hex').toString(),
  (text) => Buffer.from(text, 'base64').toString(),
];
const tried = (read: () => string): string => {
  try {
    return read();
  } catch {
    return '';
  }
};
const readable = (text: string, secret: string): boolean => READINGS.some((read) => read(text).includes(secret));

let mode: (req: IncomingMessage, res: ServerResponse, secret: string) => void = (_req, res) => void res.end();
let heard: { url: string; headers: IncomingHttpHeaders }[] = [];
const closers: (() => unknown)[] = [];
let port = 0;
const refusals: string[] = [];

beforeAll(async () => {
  const service = await tlsService('api.test', (req, res) => {
    req.resume();
    heard.push({ url: req.url ?? '', headers: req.headers });
    if (req.url === '/token') return void res.end(JSON.stringify({ access_token: 'token-t0ken/t0ken', expires_in: 3600 }));
    mode(req, res, secretIn(req));
  });
  const proxy = createEgressProxy({
    policy: { allowHosts: [], allowInternalServices: [] },
    configuration: { services: {}, trustedHosts: ['api.test', 'anywhere.test', 'callers.test'] },
    onRefusal: (line) => refusals.push(line),
    lookup: async () => ['127.0.0.1'],
    inject: [{ host: 'api.test', header: 'x-key', value: `Bearer ${OWNERS}` }],
    injectTls: { port: service.port, ca: await readFile(service.caFile, 'utf8') },
    setupKey: key,
  });
  const machine = createTcp((socket) => proxy.handle(socket));
  await new Promise<void>((resolve) => machine.listen(0, '127.0.0.1', resolve));
  port = (machine.address() as AddressInfo).port;
  closers.push(
    () => machine.close(),
    () => proxy.close(),
    () => service.close(),
  );
});
afterAll(async () => {
  for (const close of closers) await close();
});

/** The API has the secret, whichever way it came. */
function secretIn({ headers, url = '' }: IncomingMessage): string {
  const basic = /^Basic (.*)$/.exec(headers.authorization ?? '')?.[1];
  if (basic !== undefined) return Buffer.from(basic, 'base64').toString().slice(1);
  const query = new URL(url, 'https://api.test').searchParams.get('k');
  return query ?? String(headers['x-key']).slice('Bearer '.length);
}

interface Answer {
  status: number;
  headers: string[];
  body: string;
  pieces: string[];
}

function ask(
  path: string,
  headers: Record<string, string> = {},
  { method = 'GET', host = 'api.test', onPiece = (_piece: string): void => undefined } = {},
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = request({ host: '127.0.0.1', port, method, path: `http://${host}.svc-inject.internal${path}`, headers }, (res) => {
      const pieces: string[] = [];
      res.setEncoding('latin1').on('data', (piece: string) => {
        pieces.push(piece);
        onPiece(piece);
      });
      res.on('end', () => resolve({ status: res.statusCode ?? 0, headers: res.rawHeaders, body: Buffer.from(pieces.join(''), 'latin1').toString(), pieces }));
      res.on('error', reject);
    });
    sent.on('error', reject).end();
  });
}

const FROM: Readonly<Record<string, { headers: Record<string, string>; secret: string }>> = {
  'the owner': { headers: {}, secret: OWNERS },
  'a caller, by Basic': { headers: { [SETUP_HEADER]: sealed, [FIELDS_HEADER]: 'password' }, secret: CALLERS },
  'a caller, in the query': { headers: { [SETUP_HEADER]: sealed, [FIELDS_HEADER]: 'query' }, secret: CALLERS },
};

test('a sealed setup that the agent was given once opens no host that nobody named', async () => {
  mode = (_req, res) => void res.end('reached');
  heard = [];
  for (const fields of [undefined, '', ',', ' , '])
    for (const host of ['anywhere.test', 'callers.test']) {
      const headers = { [SETUP_HEADER]: sealed, ...(fields !== undefined && { [FIELDS_HEADER]: fields }) };
      expect(await ask('/', headers, { host }), `${host} ${fields}`).toMatchObject({ status: 403 });
    }
  expect(heard).toEqual([]);
  // The test would see it: a field's own host is reached.
  expect(await ask('/', { [SETUP_HEADER]: sealed, [FIELDS_HEADER]: 'query' })).toMatchObject({ status: 200, body: 'reached' });
});

test.for(Object.keys(FROM))('what %s set comes back in no way of writing it, in no part of an answer, however it is cut', async (who) => {
  const { headers, secret } = FROM[who] ?? { headers: {}, secret: '' };
  for (const [way, write] of Object.entries(WAYS)) {
    expect(readable(write(secret), secret), `the agent could read it: ${way}`).toBe(true);
    for (const size of [1, 7, 10_000]) {
      mode = (_req, res, got) => {
        const text = Buffer.from(write(got));
        res.writeHead(400, {
          location: `https://elsewhere.test/${encodeURIComponent(write(got))}`,
          link: `<https://x.test/?next=${encodeURIComponent(got)}>; rel="next"`,
        });
        for (let at = 0; at < text.length; at += size) res.write(text.subarray(at, at + size));
        res.end();
      };
      const { status, body, headers: got } = await ask('/', headers);
      expect(status).toBe(400);
      expect(body.length, 'the answer came').toBeGreaterThan(10);
      for (const text of [body, ...got]) expect(readable(text, secret), `${way}, ${size} bytes at a time: ${text}`).toBe(false);
    }
  }
});

test('nor compressed, whether the agent asks for that or the API does it unasked', async () => {
  const codings = {
    gzip: gzipSync,
    deflate: deflateSync,
    br: brotliCompressSync,
    zstd: zstdCompressSync,
    'gzip, br': (text: Buffer) => brotliCompressSync(gzipSync(text)),
  };
  for (const [coding, compress] of Object.entries(codings)) {
    mode = (_req, res, secret) => void res.writeHead(200, { 'content-encoding': coding }).end(compress(Buffer.from(`before ${secret} after`)));
    const { body } = await ask('/', { 'accept-encoding': coding });
    expect(body, coding).toBe(`before ${'*'.repeat(OWNERS.length)} after`);
    expect(heard.at(-1)?.headers['accept-encoding']).toBe('identity');
  }
  mode = (_req, res, secret) => void res.writeHead(200, { 'content-encoding': 'rot13' }).end(secret);
  expect(await ask('/')).toMatchObject({ status: 502 });
});

test('nor by TRACE, a range, the name of a header, or a token that was fetched', async () => {
  mode = (req, res) => void res.end(JSON.stringify([req.method, req.headers]));
  heard = [];
  for (const method of ['TRACE', 'TRACK']) expect((await ask('/', {}, { method }).catch(() => ({ status: 0 }))).status, method).not.toBe(200);
  expect(heard).toEqual([]);
  await ask('/', { range: 'bytes=0-9', 'if-range': 'x' });
  expect(Object.keys(heard.at(-1)?.headers ?? {})).not.toContain('range');
  mode = (_req, res) => void res.writeHead(200, { 'token-t0ken': 'x', 'set-cookie': ['a=token-t0ken/t0ken', 'b=2'] }).end('token-t0ken/t0ken');
  const { headers, body } = await ask('/', { [SETUP_HEADER]: sealed, [FIELDS_HEADER]: 'client,client_secret' });
  expect(JSON.stringify([headers, body])).not.toContain('token-t0ken/t0ken');
  expect(headers).toContain('b=2');
  mode = (_req, res) => void res.writeHead(200, { 'x-plain': 'x' }).end();
});

test('an event goes on at once; what comes at once never depends on how the secret begins', async () => {
  const steps: (() => void)[] = [];
  mode = (_req, res) => {
    res.writeHead(200, { 'content-type': 'text/event-stream' }).write('data: 1\n\n');
    steps.push(
      () => void res.write('data: 2\n\n'),
      () => void res.end('data: 3\n\n'),
    );
  };
  const { body, pieces } = await ask('/', {}, { onPiece: () => steps.shift()?.() });
  expect([body, pieces.length]).toEqual(['data: 1\n\ndata: 2\n\ndata: 3\n\n', 3]);
  // A prefix of the secret at the end of a line goes on as any other text does.
  for (const line of [`${OWNERS.slice(0, 12)}\n`, `${'z'.repeat(12)}\n`]) {
    let end = (): void => undefined;
    mode = (_req, res) => {
      res.writeHead(200).write(line);
      end = () => void res.end();
    };
    expect((await ask('/', {}, { onPiece: () => end() })).body).toBe(line);
  }
});
