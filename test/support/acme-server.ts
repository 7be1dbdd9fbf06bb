// A certificate authority over HTTP, as far as ACME (RFC 8555) is asked of it here: no signature is checked,
// certificates are real, and what was asked is counted. It looks for a challenge again and again, as long as
// its place may be killed meanwhile. The strict one is Pebble (pebble.ts), which takes long to build.
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, request, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer, text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { z } from 'zod';

export interface AcmeServer {
  directoryUrl: string;
  /** Port of this machine where the names' own web servers are. */
  lookAt: number;
  /** Of a host name, each time: an order was opened, a certificate made. */
  opened: string[];
  issued: string[];
  close(): Promise<void>;
}

interface Order {
  hostname: string;
  token: string;
  status: 'pending' | 'ready' | 'valid' | 'invalid';
  chain?: string;
}

const Signed = z.object({ protected: z.string(), payload: z.string() });
const NewOrder = z.object({ identifiers: z.tuple([z.object({ type: z.literal('dns'), value: z.string() })]) });
const Finalize = z.object({ csr: z.string() });
const openssl = (...args: string[]): Promise<unknown> => promisify(execFile)('openssl', args);
const LOOKS_FOR_MS = 120_000;

export async function acmeServer(): Promise<AcmeServer> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-acme-'));
  const [caKey, ca] = [join(folder, 'ca.key'), join(folder, 'ca.pem')];
  await openssl(...'req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 30 -subj /CN=trial'.split(' '), '-keyout', caKey, '-out', ca);
  const orders: Order[] = [];
  const it: AcmeServer = { directoryUrl: '', lookAt: 80, opened: [], issued: [], close: () => Promise.resolve() };
  let closed = false;

  async function look(order: Order): Promise<void> {
    for (const until = Date.now() + LOOKS_FOR_MS; order.status === 'pending' && !closed;) {
      const answer = await answerAt(it.lookAt, order).catch(() => '');
      if (answer.startsWith(`${order.token}.`)) order.status = 'ready';
      else if (Date.now() > until) order.status = 'invalid';
      else await sleep(500);
    }
  }

  async function issue(order: Order, csr: string): Promise<void> {
    if (order.status !== 'ready') return;
    order.status = 'valid';
    const [asked, made] = [join(folder, `${order.token}.csr`), join(folder, `${order.token}.pem`)];
    await writeFile(asked, Buffer.from(csr, 'base64url'));
    const signs = ['-CA', ca, '-CAkey', caKey, '-days', '20', '-copy_extensions', 'copy'];
    await openssl('x509', '-req', '-inform', 'DER', '-in', asked, ...signs, '-out', made);
    order.chain = (await readFile(made, 'utf8')) + (await readFile(ca, 'utf8'));
    it.issued.push(order.hostname);
  }

  async function answer(kind: string, at: number, payload: unknown): Promise<{ status?: number; place?: string; body: unknown }> {
    const url = (path: string): string => it.directoryUrl.replace('/directory', path);
    const order = orders[at];
    if (kind === 'account') return { status: 201, place: url('/account/0'), body: { status: 'valid' } };
    if (kind === 'orders') {
      const hostname = NewOrder.parse(payload).identifiers[0].value;
      it.opened.push(hostname);
      const place = orders.push({ hostname, token: `token-${orders.length}-${Date.now()}`, status: 'pending' }) - 1;
      return { status: 201, place: url(`/order/${place}`), body: shown(place) };
    }
    if (!order) return { status: 404, body: { type: 'urn:ietf:params:acme:error:malformed', detail: 'there is no such order' } };
    if (kind === 'challenge') void look(order);
    if (kind === 'finalize') await issue(order, Finalize.parse(payload).csr);
    if (kind === 'certificate') return { body: order.chain ?? '' };
    if (kind === 'challenge') return { body: challenge(at, order) };
    if (kind !== 'authorization') return { place: url(`/order/${at}`), body: shown(at) };
    const status = order.status === 'pending' || order.status === 'invalid' ? order.status : 'valid';
    return { body: { status, identifier: { type: 'dns', value: order.hostname }, challenges: [challenge(at, order)] } };

    function challenge(n: number, { token, status: state }: Order): object {
      return { type: 'http-01', url: url(`/challenge/${n}`), token, status: state === 'pending' || state === 'invalid' ? state : 'valid' };
    }
    function shown(n: number): object {
      const { hostname, status: state, chain } = orders[n] ?? { hostname: '', status: 'invalid' };
      const made = chain === undefined ? {} : { certificate: url(`/certificate/${n}`) };
      const authorizations = [url(`/authorization/${n}`)];
      return { status: state, identifiers: [{ type: 'dns', value: hostname }], authorizations, finalize: url(`/finalize/${n}`), ...made };
    }
  }

  const server = createServer((asked, response) => {
    const [, kind = '', n = ''] = (asked.url ?? '').split('/');
    const send = (status: number, body: unknown, place?: string): void => {
      const asText = typeof body === 'string' ? body : JSON.stringify(body);
      const type = typeof body === 'string' ? 'application/pem-certificate-chain' : 'application/json';
      const headers = { 'content-type': type, 'replay-nonce': Buffer.from(crypto.randomUUID()).toString('base64url'), ...(place && { location: place }) };
      response.writeHead(status, headers).end(asked.method === 'HEAD' ? undefined : asText);
    };
    if (kind === 'directory') {
      const at = it.directoryUrl.replace('/directory', '');
      const addresses = { newNonce: `${at}/nonce`, newAccount: `${at}/account`, newOrder: `${at}/orders`, revokeCert: `${at}/revoke` };
      return send(200, { ...addresses, meta: { caaIdentities: [] } });
    }
    if (kind === 'nonce' || kind === 'revoke') return send(200, {});
    payloadOf(asked)
      .then(async (payload) => answer(kind, Number(n), payload))
      .then(({ status = 200, body, place }) => send(status, body, place))
      .catch((error: unknown) => send(400, { type: 'urn:ietf:params:acme:error:malformed', detail: String(error) }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // Safe: it listens on TCP.
  it.directoryUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/directory`;
  it.close = async () => {
    closed = true;
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    await rm(folder, { recursive: true, force: true });
  };
  return it;
}

/** Of a request that only reads there is none. */
async function payloadOf(asked: IncomingMessage): Promise<unknown> {
  const { payload } = Signed.parse(JSON.parse((await buffer(asked)).toString()));
  return payload === '' ? undefined : JSON.parse(Buffer.from(payload, 'base64url').toString());
}

function answerAt(port: number, { hostname, token }: Order): Promise<string> {
  return new Promise((resolve, reject) => {
    const at = { host: '127.0.0.1', port, path: `/.well-known/acme-challenge/${token}`, headers: { host: hostname }, timeout: 5_000 };
    const sent = request(at, (response) => void text(response).then(resolve, reject));
    sent.once('timeout', () => sent.destroy(new Error('late'))).once('error', reject);
    sent.end();
  });
}
