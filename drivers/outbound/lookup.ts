// From names to addresses. Names that guests and tenants choose are asked of the name servers directly: the
// system's own lookup blocks one of two threads of the process for as long as a slow name server takes, and
// the lookups of all others wait behind it. It is for names of the operator.
import { lookup as bySystem, Resolver } from 'node:dns/promises';
import { readFile } from 'node:fs/promises';

/** `trusted`: the operator configured the name. Rejects when it has no address. */
export type Lookup = (host: string, trusted?: boolean) => Promise<string[]>;

export interface LookupOptions {
  /** `address:port`; default: the system's. */
  servers?: readonly string[];
  hostsFile?: string;
}

/** Of one question to one server; c-ares doubles it for the second round. */
const PATIENCE_MS = 1_500;

export function createLookup({ servers, hostsFile = '/etc/hosts' }: LookupOptions = {}): Lookup {
  return async (host, trusted = false) => {
    if (trusted) return (await bySystem(host, { all: true, verbatim: false })).map(({ address }) => address);
    const listed = addressesIn(await readFile(hostsFile, 'utf8').catch(() => ''), host);
    if (listed.length > 0) return listed;
    // A new one reads the system's servers as they are now.
    const resolver = new Resolver({ timeout: PATIENCE_MS, tries: 2 });
    if (servers) resolver.setServers(servers);
    const [four, six] = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
    const addresses = [four, six].flatMap((one) => (one.status === 'fulfilled' ? one.value : []));
    if (addresses.length === 0 && four.status === 'rejected') throw four.reason;
    return addresses;
  };
}

export const resolveHost = createLookup();

function addressesIn(hosts: string, host: string): string[] {
  const name = host.toLowerCase();
  return hosts.split('\n').flatMap((line) => {
    const [address, ...names] = line.replace(/#.*/, '').trim().toLowerCase().split(/\s+/);
    return address !== undefined && names.includes(name) ? [address] : [];
  });
}
