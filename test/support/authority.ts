// A certificate authority within a test: it issues real certificates, signed by nobody in particular, and
// counts what it was asked. The real protocol is tested against another's server:
// core/agents/domain/acme.outside.test.ts.
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { AuthorityRefused, type CertificateAuthority, type Order } from '#drivers/certificates/port.ts';

interface Kept extends Order {
  hostname: string;
  chain?: string;
}

export interface TestAuthority extends CertificateAuthority {
  orders: Map<string, Kept>;
  /** Each call, in order: `open shop.example.org`. */
  calls: string[];
  revoked: string[];
  /** The next call of this kind fails, before or after it took effect. */
  failNext: { call: string; when: 'before' | 'after'; away?: boolean } | undefined;
  /** What it says of renewals. */
  window: { from: number; to: number } | undefined;
  caa: string[];
  /** Whether a challenge that was answered is valid; default: it is. */
  accepts: (order: Kept) => Promise<boolean>;
  /** Days until its certificates expire. */
  days: number;
}

export function testAuthority(): TestAuthority {
  const run = async <T>(call: string, work: () => T | Promise<T>): Promise<T> => {
    const fails = it.failNext?.call === call.split(' ')[0] ? it.failNext : undefined;
    if (fails) it.failNext = undefined;
    if (fails?.when === 'before') throw new AuthorityRefused('it is tired', { away: fails.away ?? false });
    it.calls.push(call);
    const result = await work();
    if (fails) throw new Error('the process was killed');
    return result;
  };
  const orderOf = (url: string): Kept => {
    const order = it.orders.get(url);
    if (!order) throw new AuthorityRefused('no such order');
    return order;
  };
  const it: TestAuthority = {
    directoryUrl: 'test://authority',
    orders: new Map(),
    calls: [],
    revoked: [],
    failNext: undefined,
    window: undefined,
    caa: ['ca.test'],
    days: 90,
    accepts: async () => true,
    caaNames: async () => it.caa,
    newKey: async () => (await openssl('genpkey', '-algorithm', 'EC', '-pkeyopt', 'ec_paramgen_curve:P-256')).stdout,
    register: (key) => run('register', () => `test://account/${key.length}`),
    open: (_account, hostname) =>
      run(`open ${hostname}`, () => {
        const url = `test://order/${it.orders.size + 1}`;
        const wild = hostname.startsWith('*.');
        const token = `tok_${it.orders.size + 1}`;
        const challenge = {
          url: `${url}/challenge`,
          type: wild ? ('dns-01' as const) : ('http-01' as const),
          token,
          value: `${token}.thumb`,
          status: 'pending' as const,
        };
        it.orders.set(url, { hostname, status: 'pending', challenge, problem: undefined });
        return url;
      }),
    look: (_account, url) => run(`look ${url}`, () => ({ ...orderOf(url) })),
    answer: (_account, { url }) =>
      run(`answer ${url}`, async () => {
        const order = orderOf(url.replace('/challenge', ''));
        if (order.status !== 'pending') return;
        const valid = await it.accepts(order);
        Object.assign(order, { status: valid ? 'ready' : 'invalid', challenge: undefined, problem: valid ? undefined : 'nothing was found there' });
      }),
    finalize: (_account, url, { hostname, key }) =>
      run(`finalize ${url}`, async () => {
        const order = orderOf(url);
        if (order.status !== 'ready') throw new AuthorityRefused('the order is not ready');
        Object.assign(order, { status: 'valid', chain: await issue(hostname, key, it.days) });
      }),
    download: (_account, url) => run(`download ${url}`, () => orderOf(url).chain ?? ''),
    revoke: (_account, chain) => run('revoke', () => void it.revoked.push(chain)),
    renewalWindow: async () => it.window,
  };
  return it;
}

/** A certificate in PEM, signed with the key that it is for. */
export async function issue(hostname: string, key: string, days: number): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-issue-'));
  try {
    const file = join(folder, 'key.pem');
    await writeFile(file, key);
    const out = join(folder, 'cert.pem');
    await openssl('req', '-x509', '-key', file, '-days', String(days), '-subj', '/CN=test', '-addext', `subjectAltName=DNS:${hostname}`, '-out', out);
    return await readFile(out, 'utf8');
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function openssl(...args: string[]): Promise<{ stdout: string }> {
  return promisify(execFile)('openssl', args);
}
