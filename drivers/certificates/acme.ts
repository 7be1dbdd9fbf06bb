// ACME by acme-client: accounts, nonces, signatures and requests for certificates are its work; waiting,
// storage and the order of steps are ours.
import { AsyncLocalStorage } from 'node:async_hooks';
import { readFile } from 'node:fs/promises';
import { Agent } from 'node:https';
import acme from 'acme-client';
import { certificateId } from './certificate-id.ts';
import { type AcmeAccount, AuthorityRefused, type CertificateAuthority, type Challenge } from './port.ts';

export interface AcmeOptions {
  directoryUrl: string;
  /** Email address for the authority's warnings. */
  contact?: string | undefined;
  /** PEM file of who signs the authority's own address; default: those of Node. */
  caFile?: string | undefined;
}

/**
 * Of the directories. What an authority names (orders, certificates, renewals) is asked for only there, never
 * at an address inside the operator's network.
 */
const origins = new Set<string>();
/**
 * Requests that one question may still make: the library registers again and again at an authority that gives
 * its account no address.
 */
const left = new AsyncLocalStorage<{ requests: number }>();
acme.axios.interceptors.request.use((request) => {
  const question = left.getStore();
  if (question && --question.requests < 0) throw new Error('the certificate authority does not keep to the protocol: one question took too many requests');
  const { origin, host } = new URL(request.url ?? '');
  if (!origins.has(origin)) throw new Error(`the directory names an address of another host, ${host}, which is not asked`);
  return request;
});

const REQUEST_MS = 20_000;
const MOST_REQUESTS = 30;
const MOST_BYTES = 1_000_000;
const MOST_CHARACTERS = 500;

export async function acmeAuthority({ directoryUrl, contact, caFile }: AcmeOptions): Promise<CertificateAuthority> {
  origins.add(new URL(directoryUrl).origin);
  const ca = caFile === undefined ? undefined : await readFile(caFile);
  // The library has one HTTP client for all. Its own retries may sleep for as long as a server says: the
  // workflow waits instead.
  Object.assign(acme.axios.defaults, {
    timeout: REQUEST_MS,
    maxContentLength: MOST_BYTES,
    maxRedirects: 0,
    acmeSettings: { retryMaxAttempts: 0, retryDefaultDelay: 1 },
    ...(ca && { httpsAgent: new Agent({ ca }) }),
  });
  const client = ({ key, url }: { key: string; url?: string }): acme.Client =>
    new acme.Client({ directoryUrl, accountKey: key, ...(url !== undefined && { accountUrl: url }) });
  const orderOf = (account: AcmeAccount, url: string): Promise<acme.Order> => client(account).getOrder(unread(url));

  return {
    directoryUrl,
    caaNames: () =>
      callAuthority(async () => {
        const { meta } = await directory(directoryUrl);
        return Array.isArray(meta?.caaIdentities) ? meta.caaIdentities.filter((name) => typeof name === 'string').map((name) => name.toLowerCase()) : [];
      }),
    newKey: async () => String(await acme.crypto.createPrivateEcdsaKey('P-256')),
    register: (key) =>
      callAuthority(async () => {
        const registering = client({ key });
        await registering.createAccount({ termsOfServiceAgreed: true, ...(contact !== undefined && { contact: [`mailto:${contact}`] }) });
        return registering.getAccountUrl();
      }),
    open: (account, hostname) => callAuthority(async () => (await client(account).createOrder({ identifiers: [{ type: 'dns', value: hostname }] })).url),
    look: (account, orderUrl) =>
      callAuthority(async () => {
        const order = await orderOf(account, orderUrl);
        const [authorization] = order.status === 'pending' || order.status === 'invalid' ? await client(account).getAuthorizations(order) : [];
        const type = authorization?.wildcard === true ? 'dns-01' : 'http-01';
        const challenge = authorization?.challenges.find((one) => one.type === type);
        const problem = [challenge?.error, order.error].map(detailOf).find((text) => text !== undefined);
        const open = order.status === 'pending' && challenge !== undefined;
        return { status: order.status, problem, challenge: open ? await challengeOf(client(account), type, challenge) : undefined };
      }),
    answer: (account, { url }) => callAuthority(async () => void (await client(account).completeChallenge(unanswered(url)))),
    finalize: (account, orderUrl, { hostname, key }) =>
      callAuthority(async () => {
        const [, csr] = await acme.crypto.createCsr({ altNames: [hostname] }, key);
        await client(account).finalizeOrder(await orderOf(account, orderUrl), csr);
      }),
    download: (account, orderUrl) => callAuthority(async () => client(account).getCertificate(await orderOf(account, orderUrl))),
    revoke: (account, chain) => callAuthority(() => client(account).revokeCertificate(chain, { reason: CESSATION })),
    renewalWindow: (chain) =>
      callAuthority(async () => {
        const { renewalInfo } = await directory(directoryUrl);
        const id = certificateId(chain);
        if (typeof renewalInfo !== 'string' || id === undefined) return undefined;
        const { status, data } = await acme.axios.get<{ suggestedWindow?: { start?: unknown; end?: unknown } }>(`${renewalInfo.replace(/\/$/, '')}/${id}`);
        const [from, to] = [Date.parse(String(data.suggestedWindow?.start)), Date.parse(String(data.suggestedWindow?.end))];
        return status === 200 && from <= to ? { from, to } : undefined;
      }),
  };
}

/** RFC 5280, 5.3.1: cessationOfOperation. */
const CESSATION = 5;
/** The library reads only the address of an order and of a challenge. */
const unread = (url: string): acme.Order => ({ url, status: 'pending', identifiers: [], authorizations: [], finalize: '' });
const unanswered = (url: string) => ({ url, type: 'http-01', status: 'pending', token: '' }) as const;

async function challengeOf(client: acme.Client, type: Challenge['type'], challenge: Parameters<acme.Client['completeChallenge']>[0]): Promise<Challenge> {
  const { url, token, status } = challenge;
  return { url, type, token, status, value: await client.getChallengeKeyAuthorization(challenge) };
}

async function directory(url: string): Promise<{ renewalInfo?: unknown; meta?: { caaIdentities?: unknown } }> {
  const { data } = await acme.axios.get<{ renewalInfo?: unknown; meta?: { caaIdentities?: unknown } }>(url);
  return data;
}

async function callAuthority<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await left.run({ requests: MOST_REQUESTS }, work);
  } catch (error) {
    // What the network says names addresses inside the operator's network. Without an answer the library
    // fails at reading one: a TypeError.
    const away = error instanceof TypeError || (error instanceof Error && 'isAxiosError' in error);
    const message = error instanceof Error ? error.message.slice(0, MOST_CHARACTERS) : '';
    throw new AuthorityRefused(away || message === '' ? 'the certificate authority could not be reached' : message, { cause: error, away });
  }
}

function detailOf(problem: unknown): string | undefined {
  if (typeof problem !== 'object' || problem === null || !('detail' in problem)) return undefined;
  return String(problem.detail).slice(0, MOST_CHARACTERS);
}
