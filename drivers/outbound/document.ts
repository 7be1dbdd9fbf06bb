// Reads a document from an address that a person gave: over the public internet, whole or not at all, in
// bounded time.
import { addressProblem, type LocalHosts } from '../llm/address.ts';
import { outboundFetch } from '../llm/outbound.ts';
import type { Lookup } from './lookup.ts';

export interface DocumentOptions {
  maxBytes: number;
  timeoutMs?: number;
  accept?: string;
  lookup?: Lookup | undefined;
  /** `host` or `host:port` that the operator allows although it is internal, over plain HTTP too. */
  localHosts?: LocalHosts | undefined;
  ca?: string;
}

export interface Documents {
  /** @throws DocumentUnread */
  read(address: string, options: Pick<DocumentOptions, 'maxBytes' | 'timeoutMs' | 'accept'>): Promise<string>;
}

export function documents(of: Pick<DocumentOptions, 'lookup' | 'localHosts' | 'ca'>): Documents {
  return { read: (address, options) => readDocumentAt(address, { ...of, ...options }) };
}

/** The message is for the person who gave the address; it names no address that a name led to. */
export class DocumentUnread extends Error {
  override readonly name = 'DocumentUnread';
}

const MAX_REDIRECTS = 3;

/** @throws DocumentUnread */
async function readDocumentAt(address: string, options: DocumentOptions): Promise<string> {
  const { maxBytes, timeoutMs = 20_000, accept = '*/*', localHosts = [], lookup, ca } = options;
  const trust = { ...(lookup && { lookup }), ...(ca !== undefined && { ca }) };
  const { fetch, close } = outboundFetch({ localHosts, connectMs: 5_000, silenceMs: timeoutMs, maxBytes, redirect: 'manual', ...trust });
  const signal = AbortSignal.timeout(timeoutMs);
  try {
    let url = address;
    for (let hop = 0; hop <= MAX_REDIRECTS; hop += 1) {
      requireAllowed(url, localHosts);
      const answer = await fetch(url, { headers: { accept }, signal });
      const location = answer.headers.get('location');
      if (answer.status < 300 || answer.status >= 400 || location === null) {
        if (!answer.ok) throw new DocumentUnread(`${new URL(url).host} answered ${answer.status}`);
        return await answer.text();
      }
      await answer.body?.cancel();
      url = URL.canParse(location, url) ? new URL(location, url).href : location;
    }
    throw new DocumentUnread(`${new URL(address).host} redirects more than ${MAX_REDIRECTS} times`);
  } catch (error) {
    throw error instanceof DocumentUnread ? error : unread(address, error, maxBytes);
  } finally {
    await close();
  }
}

function requireAllowed(url: string, localHosts: LocalHosts): void {
  // A query belongs to a document's address, but to no model's.
  const plain = URL.canParse(url) ? url.replace(/[?#].*$/, '') : url;
  const problem = addressProblem(plain, localHosts);
  if (problem === undefined) return;
  const internal = /network/.test(problem);
  throw new DocumentUnread(internal ? 'the address is not on the public internet' : `the address ${problem.replace(/: plain HTTP.*/, '')}`);
}

function unread(address: string, error: unknown, maxBytes: number): DocumentUnread {
  const { host } = new URL(address);
  const names = error instanceof Error ? [error.name, error.cause instanceof Error ? error.cause.name : ''] : [];
  if (names.includes('TooLong')) return new DocumentUnread(`${host} answered more than ${maxBytes} bytes`);
  if (names.includes('TimeoutError')) return new DocumentUnread(`${host} did not answer in time`);
  return new DocumentUnread(`${host} was not reached on the public internet`);
}
