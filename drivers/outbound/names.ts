// Host names as they are compared: in requests, in policies, in endpoints that people name.
import { isIP } from 'node:net';

/** Lower case, no final dot, no brackets; undefined when it is no host name or address. */
export function normalHost(host: string): string | undefined {
  const name = host
    .toLowerCase()
    .replace(/^\[|\]$/g, '')
    .replace(/\.$/, '');
  if (isIP(name) > 0) return name;
  return /^(?!-)[a-z0-9_-]{1,63}(\.[a-z0-9_-]{1,63})*$/.test(name) && name.length <= 253 ? name : undefined;
}

export function splitAuthority(authority: string, defaultPort: number): { host: string; port: number } | undefined {
  const match = /^(\[[0-9a-f:.]+\]|[^:[\]]+)(?::(\d{1,5}))?$/i.exec(authority);
  const host = match?.[1] === undefined ? undefined : normalHost(match[1]);
  const port = match?.[2] === undefined ? defaultPort : Number(match[2]);
  return host !== undefined && port > 0 && port < 65_536 ? { host, port } : undefined;
}
