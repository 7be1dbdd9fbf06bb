// Which addresses a person may name as a model's endpoint. The platform calls them from inside its own
// network: only the public internet is open to them, and what the operator named. Names are checked here by
// their text, and at the connection by their addresses.
import { isIP } from 'node:net';
import { isPublicAddress } from '#contract/wire/internet.ts';
import { normalHost } from '../outbound/names.ts';

/** `host` or `host:port` that the operator allows although it is internal, over plain HTTP too. */
export type LocalHosts = readonly string[];

export function isLocalHost(localHosts: LocalHosts, host: string, port: number): boolean {
  const name = normalHost(host);
  if (name === undefined) return false;
  const shown = name.includes(':') ? `[${name}]` : name;
  return localHosts.some((one) => one === name || one === shown || one === `${shown}:${port}`);
}

/** Undefined when it may be used. @param setting the variable in which the operator names internal hosts */
export function addressProblem(baseUrl: string, localHosts: LocalHosts, setting = 'SVC_LLM_LOCAL_HOSTS'): string | undefined {
  if (!URL.canParse(baseUrl)) return 'is not a URL';
  const url = new URL(baseUrl);
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return 'begins with https://';
  if (url.username !== '' || url.password !== '') return 'carries no user name or password: the key has a field of its own';
  if (url.search !== '' || url.hash !== '') return 'has no query and no fragment';
  const host = normalHost(url.hostname);
  if (host === undefined) return 'names no host';
  if (isLocalHost(localHosts, host, portOf(url))) return undefined;
  if (url.protocol === 'http:') return `begins with https://: plain HTTP is only for hosts that this installation names in ${setting}`;
  const internal = isIP(host) > 0 ? !isPublicAddress(host) : host === 'localhost' || host.endsWith('.localhost') || !host.includes('.');
  return internal ? `leads into the network of this platform: its operator allows such hosts in ${setting}` : undefined;
}

export function portOf({ port, protocol }: { port: string; protocol: string }): number {
  return port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port);
}
