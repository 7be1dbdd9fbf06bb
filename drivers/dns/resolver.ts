// The DNS by Node's own resolver: bounded in time, and in what it takes over of an answer.
import { Resolver } from 'node:dns/promises';
import { type DnsResolver, DnsUnanswered } from './port.ts';

export interface DnsOptions {
  /** `address:port`; default: the system's. */
  servers?: readonly string[] | undefined;
  /** Of one question to one server; it is asked twice. Default 2 500 ms. */
  timeoutMs?: number;
}

const MOST_VALUES = 100;
const MOST_CHARACTERS = 1_000;
/** Answers that say: there is no such record. */
const NOTHING = new Set(['ENODATA', 'ENOTFOUND']);

export function dnsResolver({ servers, timeoutMs = 2_500 }: DnsOptions = {}): DnsResolver {
  // A new one reads the system's servers as they are now.
  const ask = async <T>(name: string, question: (resolver: Resolver) => Promise<T[]>): Promise<T[]> => {
    const resolver = new Resolver({ timeout: timeoutMs, tries: 2 });
    if (servers !== undefined && servers.length > 0) resolver.setServers(servers);
    try {
      return (await question(resolver)).slice(0, MOST_VALUES);
    } catch (error) {
      if (NOTHING.has(codeOf(error))) return [];
      throw new DnsUnanswered(name, error);
    }
  };
  return {
    txt: async (name) => (await ask(name, (resolver) => resolver.resolveTxt(name))).map((pieces) => pieces.join('').slice(0, MOST_CHARACTERS)),
    async addresses(name) {
      const [four, six] = await Promise.all([ask(name, (resolver) => resolver.resolve4(name)), ask(name, (resolver) => resolver.resolve6(name))]);
      return [...four, ...six];
    },
    alias: async (name) => (await ask(name, (resolver) => resolver.resolveCname(name)))[0]?.toLowerCase().replace(/\.$/, ''),
    async issuers(name, wildcard) {
      const records = await ask(name, (resolver) => resolver.resolveCaa(name));
      const wild = records.flatMap(({ issuewild }) => issuewild ?? []);
      const plain = records.flatMap(({ issue }) => issue ?? []);
      const values = wildcard && wild.length > 0 ? wild : plain;
      return values.length === 0 ? undefined : values.map((value) => (value.split(';')[0] ?? '').trim().toLowerCase());
    },
  };
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}
