// A client certificate of the caller on the way out: a real TLS server that takes none but its authority's,
// and a guest that never has the key.
import { request } from 'node:http';
import { createServer as createTls } from 'node:https';
import { createServer, type AddressInfo, type Server } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { encryptSetup, setupKeyOf } from '#contract/crypto/encrypted-setup.ts';
import { type Credential, FIELDS_HEADER, SETUP_HEADER } from '#contract/wire/setup-injection.ts';
import { certificates, type Pair } from '#imports/test/certificates.ts';
import { createEgressProxy } from './proxy.ts';

const key = setupKeyOf(new Uint8Array(32).fill(7), 'shop');
const HOST = 'api.test';
const servers: (Server | { close(): unknown })[] = [];
const shown: string[] = [];
let pki: Awaited<ReturnType<typeof certificates>>;
let proxyPort: number;

beforeAll(async () => {
  pki = await certificates();
  const demanding = createTls({ ...pki.server, ca: pki.ca, requestCert: true, rejectUnauthorized: true }, (req, res) => {
    // Safe: it listens for TLS alone.
    shown.push(String((req.socket as TLSSocket).getPeerCertificate().subject.CN));
    res.end(`hello at ${req.url}`);
  });
  const port = await listening(demanding);
  const proxy = createEgressProxy({
    policy: { allowHosts: [], allowInternalServices: [] },
    configuration: { services: {}, trustedHosts: [HOST] },
    onRefusal: () => undefined,
    lookup: async () => ['127.0.0.1'],
    injectTls: { port, ca: pki.ca },
    setupKey: key,
  });
  const front = createServer((socket) => proxy.handle(socket));
  proxyPort = await listening(front);
  servers.push(demanding, front, proxy);
});
afterAll(async () => {
  for (const server of servers) await server.close();
});

async function listening(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

function asked(client: Pair | undefined): Promise<{ status: number; text: string }> {
  const field = (name: string, as: 'tls_certificate' | 'tls_key', value: string): Credential => ({ field: name, value, inject: { as, hosts: [HOST] } });
  const held = client ? [field('cert', 'tls_certificate', client.cert), field('cert_key', 'tls_key', client.key)] : [];
  const headers = { [SETUP_HEADER]: encryptSetup(key, held, Date.now()), [FIELDS_HEADER]: held.map((one) => one.field).join(',') };
  return new Promise((resolve, reject) => {
    const sent = request({ host: '127.0.0.1', port: proxyPort, path: `http://${HOST}.svc-inject.internal/things`, headers }, (answer) => {
      let text = '';
      answer.on('data', (piece) => (text += String(piece))).on('end', () => resolve({ status: answer.statusCode ?? 0, text }));
    });
    sent.on('error', reject).end();
  });
}

test('a server that demands a certificate gets the caller’s, and answers', async () => {
  expect(await asked(pki.client)).toEqual({ status: 200, text: 'hello at /things' });
  expect(shown).toEqual(['client']);
});

test('another authority’s certificate, and none, are refused by the server; a key of another certificate before anything is sent', async () => {
  shown.length = 0;
  const answers = [await asked(pki.stranger), await asked(undefined), await asked({ cert: pki.client.cert, key: pki.stranger.key })];
  expect(answers.map(({ status }) => status)).toEqual([502, expect.toBeOneOf([403, 502]), 403]);
  expect(shown).toEqual([]);
  expect(JSON.stringify(answers)).not.toMatch(/BEGIN|PRIVATE/);
});
