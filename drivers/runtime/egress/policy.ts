// What one guest may reach. Decided by name and port here, by address at connection time (see connect.ts).
import { isIP } from 'node:net';
import type { Injection } from '../port.ts';

export interface EgressPolicy {
  /** Exact names or `*.suffix`; ports 80 and 443. */
  allowHosts: readonly string[];
  /** Names of `services` this guest may use. */
  allowInternalServices: readonly string[];
}

/** Where names lead that the operator configured. Only these may be internal addresses. */
export interface EgressConfiguration {
  /**
   * Base URL of the control plane as guests know it. Every agent reaches what is there for agents (planePaths) and nothing else of it; where
   * it speaks https the path is not seen from here, and the control plane's own scopes alone decide.
   */
  controlPlane?: string | undefined;
  /** Where the control plane really listens, when that is not what its name resolves to: `host:port`. */
  controlPlaneAddress?: string | undefined;
  /** What follows `<agent>.` in agents' addresses, with its port: every agent reaches the others there. */
  agentsDomain?: string | undefined;
  /** Internal service name → `host:port`. */
  services: Readonly<Record<string, string>>;
  /** Names that may resolve to internal addresses (package registries inside a company); not allowed by this alone. */
  trustedHosts?: readonly string[] | undefined;
}

/**
 * `readInside`: the same door leads elsewhere under another Host, so a tunnel there is no mere pipe. `byPath`: only requests that planePath accepts
 * may go there. `inject`: requests go on over TLS, with these headers, to whoever proves there to be `name`.
 */
export type Decision =
  | {
      allowed: true;
      host: string;
      port: number;
      mayBeInternal: boolean;
      readInside?: boolean;
      byPath?: true;
      inject?: { name: string; headers: readonly Injection[] };
    }
  | { allowed: false; reason: string };

const webPorts = [80, 443];

/** Lower case, no final dot, no brackets; undefined when it is no host name or address. */
export function normalHost(host: string): string | undefined {
  const name = host
    .toLowerCase()
    .replace(/^\[|\]$/g, '')
    .replace(/\.$/, '');
  if (isIP(name) > 0) return name;
  return /^(?!-)[a-z0-9_-]{1,63}(\.[a-z0-9_-]{1,63})*$/.test(name) && name.length <= 253 ? name : undefined;
}

export function hostMatches(pattern: string, host: string): boolean {
  const wanted = pattern.toLowerCase().replace(/\.$/, '');
  if (wanted.startsWith('*.')) return wanted.length > 2 && host.endsWith(wanted.slice(1)) && host.length > wanted.length - 1;
  return wanted === host;
}

export function splitAuthority(authority: string, defaultPort: number): { host: string; port: number } | undefined {
  const found = /^(\[[0-9a-f:.]+\]|[^:[\]]+)(?::(\d{1,5}))?$/i.exec(authority);
  const host = found?.[1] === undefined ? undefined : normalHost(found[1]);
  const port = found?.[2] === undefined ? defaultPort : Number(found[2]);
  return host !== undefined && port > 0 && port < 65_536 ? { host, port } : undefined;
}

function refused(host: string, port: number): Decision {
  const shown = `${host}:${port}`;
  if (!webPorts.includes(port)) return { allowed: false, reason: `${shown} is refused: agents reach ports 80 and 443 only.` };
  return { allowed: false, reason: `${shown} is refused: add "${host}" to egress.allow_hosts of the agent to allow it.` };
}

export function decide(policy: EgressPolicy, configuration: EgressConfiguration, host: string, port: number): Decision {
  const plane = configuration.controlPlane === undefined ? undefined : new URL(configuration.controlPlane);
  if (plane !== undefined && normalHost(plane.hostname) === host && port === portOf(plane)) {
    const real = configuration.controlPlaneAddress;
    const target = real === undefined ? { host, port } : splitAuthority(real, port);
    const byPath = plane.protocol === 'http:' ? { readInside: true, byPath: true as const } : {};
    return target === undefined ? refused(host, port) : { allowed: true, ...target, mayBeInternal: true, ...byPath };
  }
  const agents = agentHost(configuration, host, port);
  if (agents !== undefined) return { allowed: true, ...agents, mayBeInternal: true, readInside: plane?.protocol !== 'https:' || port === 80 };
  if (isDeclaredService(policy, host)) {
    const target = serviceAddress(configuration, host, port);
    if (target === undefined)
      return { allowed: false, reason: `${host} is refused: this machine has no internal service of that name; ask the operator to map it.` };
    return { allowed: true, ...target, mayBeInternal: true };
  }
  if (!webPorts.includes(port) && !configuration.trustedHosts?.includes(`${host}:${port}`)) return refused(host, port);
  if (!policy.allowHosts.some((pattern) => hostMatches(pattern, host) || pattern === `${host}:${port}`)) return refused(host, port);
  const trusted = configuration.trustedHosts?.some((name) => name === host || name === `${host}:${port}`) ?? false;
  return { allowed: true, host, port, mayBeInternal: trusted };
}

export function isDeclaredService(policy: EgressPolicy, host: string): boolean {
  return policy.allowInternalServices.some((name) => name.toLowerCase() === host);
}

/** Where the operator mapped an internal service; undefined: nowhere. */
export function serviceAddress(configuration: EgressConfiguration, host: string, defaultPort: number): { host: string; port: number } | undefined {
  const address = Object.entries(configuration.services).find(([name]) => name.toLowerCase() === host)?.[1];
  return address === undefined ? undefined : splitAuthority(address, defaultPort);
}

/** Where an agent's host leads. Names below localhost lead to the control plane's own door: few resolvers know them. */
function agentHost(configuration: EgressConfiguration, host: string, port: number): { host: string; port: number } | undefined {
  const domain = configuration.agentsDomain;
  if (domain === undefined) return undefined;
  const named = splitAuthority(domain, port);
  const ports = /:\d+$/.test(domain) ? [named?.port] : webPorts;
  if (named === undefined || !ports.includes(port) || !hostMatches(`*.${named.host}`, host)) return undefined;
  const real = configuration.controlPlaneAddress;
  if (real !== undefined) return splitAuthority(real, port);
  return named.host === 'localhost' || named.host.endsWith('.localhost') ? { host: '127.0.0.1', port } : { host, port };
}

/** What of the control plane is there for agents: the run context, workspaces under grants, what they remember, and who a browser's session belongs to. */
export function planePath(method: string, pathname: string): boolean {
  if (pathname === '/v1/me') return method === 'GET';
  if (/^\/v1\/agents\/[a-z0-9-]{1,128}\/memory(?:\/|$)/.test(pathname)) return true;
  return pathname.startsWith('/run/v1/') || pathname.startsWith('/v1/workspace-grants/');
}

export function portOf(url: URL): number {
  if (url.port !== '') return Number(url.port);
  return url.protocol === 'https:' ? 443 : 80;
}
