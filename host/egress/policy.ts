// What one guest may reach. Decided by name and port here, by address at connection time (see
// drivers/outbound/connect.ts).
import { isIP } from 'node:net';
import { isPublicAddress } from '#contract/wire/internet.ts';
import { domainsOf, hostOwner, type HostOwner } from '#contract/wire/host-owner.ts';
import { normalHost, splitAuthority } from '#drivers/outbound/names.ts';
import { ANY_HOST, type Injection } from '#drivers/runtime/port.ts';

export interface EgressPolicy {
  /** Exact names or `*.suffix`; ports 80 and 443. */
  allowHosts: readonly string[];
  /** Names of `services` this guest may use. */
  allowInternalServices: readonly string[];
}

/** Where names lead that the operator configured. Only these may be internal addresses. */
export interface EgressConfiguration {
  /**
   * Base URL of the control plane as guests know it. Every agent reaches what is there for agents
   * (isForAgents) and nothing else of it; where it speaks https the path is not seen from here, and only the
   * control plane's own scopes decide.
   */
  controlPlane?: string | undefined;
  /**
   * Where the API takes requests of guests: `host:port`, or the path of a Unix socket. Absent: where its name
   * leads.
   */
  guestSocket?: string | undefined;
  /** What follows `<agent>.` in agents' addresses, with its port: every agent reaches the others there. */
  agentsDomain?: string | undefined;
  /** Internal service name → `host:port`. */
  services: Readonly<Record<string, string>>;
  /**
   * Names that may resolve to internal addresses (package registries inside a company); this does not allow
   * them.
   */
  trustedHosts?: readonly string[] | undefined;
}

/**
 * `readInside`: the target serves several hosts, so the proxy reads the requests inside a tunnel. `platform`:
 * the proxy adds the header that names the guest. `byPath`: only requests that isForAgents accepts may go
 * there. `inject`: the proxy forwards requests over TLS, with these headers, to a server whose certificate is
 * for `name`.
 */
export type Decision =
  | {
      allowed: true;
      host: string;
      port: number;
      /** Instead of host and port. */
      socketPath?: string;
      mayBeInternal: boolean;
      /** Never on this machine, even if the name resolves there. */
      notLoopback?: true;
      readInside?: boolean;
      platform?: true;
      byPath?: true;
      /** Neither the platform nor what the operator mapped. */
      outside?: true;
      inject?: { name: string; headers: readonly Injection[] };
    }
  | { allowed: false; reason: string };

const webPorts = [80, 443];

export function hostMatches(pattern: string, host: string): boolean {
  const wanted = pattern.toLowerCase().replace(/\.$/, '');
  if (wanted.startsWith('*.')) return wanted.length > 2 && host.endsWith(wanted.slice(1)) && host.length > wanted.length - 1;
  return wanted === host;
}

function refused(host: string, port: number): Decision {
  const shown = `${host}:${port}`;
  if (!webPorts.includes(port)) return { allowed: false, reason: `${shown} is refused: agents reach ports 80 and 443 only.` };
  // Named or not, connect.ts refuses it: saying so here saves a deploy.
  if (isIP(host) !== 0 && !isPublicAddress(host))
    return { allowed: false, reason: `${shown} is refused: it is an internal address. Ask the operator to map it as an internal service.` };
  return { allowed: false, reason: `${shown} is refused: add "${host}" to egress.allow_hosts of the agent to allow it.` };
}

export function decide(policy: EgressPolicy, configuration: EgressConfiguration, host: string, port: number): Decision {
  const own = toPlatform(configuration, host, port);
  if (own !== undefined) return own;
  if (isDeclaredService(policy, host)) {
    const target = serviceAddress(configuration, host, port);
    if (target === undefined)
      return { allowed: false, reason: `${host} is refused: this machine has no internal service of that name; ask the operator to map it.` };
    return { allowed: true, ...target, mayBeInternal: true };
  }
  if (isPlatformName(configuration, host)) return { allowed: false, reason: `${host}:${port} is refused: no agent and no API of this platform is there.` };
  if (!webPorts.includes(port) && !configuration.trustedHosts?.includes(`${host}:${port}`)) return refused(host, port);
  const named = policy.allowHosts.some((pattern) => hostMatches(pattern, host) || pattern === `${host}:${port}`);
  if (!named && !(policy.allowHosts.includes(ANY_HOST) && webPorts.includes(port))) return refused(host, port);
  // A policy for all of the internet names no internal host.
  const trusted = named && (configuration.trustedHosts?.some((name) => name === host || name === `${host}:${port}`) ?? false);
  return { allowed: true, host, port, mayBeInternal: trusted, outside: true };
}

export function isDeclaredService(policy: EgressPolicy, host: string): boolean {
  return policy.allowInternalServices.some((name) => name.toLowerCase() === host);
}

/** Where the operator mapped an internal service; undefined: nowhere. */
export function serviceAddress(configuration: EgressConfiguration, host: string, defaultPort: number): { host: string; port: number } | undefined {
  const address = Object.entries(configuration.services).find(([name]) => name.toLowerCase() === host)?.[1];
  return address === undefined ? undefined : splitAuthority(address, defaultPort);
}

/** Undefined: neither the control plane nor an agent is there. */
function toPlatform(configuration: EgressConfiguration, host: string, port: number): Decision | undefined {
  const { controlPlane, agentsDomain } = configuration;
  const plane = controlPlane === undefined ? undefined : new URL(controlPlane);
  const toApi = plane !== undefined && normalHost(plane.hostname) === host;
  const toAgent = agentsDomain !== undefined && ownerOf(configuration, host).kind === 'agent';
  if (!toApi && !toAgent) return undefined;
  const secure = plane?.protocol === 'https:';
  if (!(toApi ? planePorts(plane) : agentPorts(agentsDomain)).includes(port)) return undefined;
  const byPath = toApi ? { byPath: true as const } : {};
  // TLS is between the guest and whatever ends it before the control plane: the way there is the one from
  // outside, never this machine's own.
  if (secure && port !== 80) return { allowed: true, host, port, mayBeInternal: true, notLoopback: true };
  const inside = { mayBeInternal: true, readInside: true, platform: true as const, ...byPath };
  const { guestSocket } = configuration;
  if (guestSocket?.startsWith('/')) return { allowed: true, host, port, socketPath: guestSocket, ...inside };
  const target = guestSocket === undefined ? { host: isLocalName(host) ? '127.0.0.1' : host, port } : splitAuthority(guestSocket, port);
  return target === undefined ? refused(host, port) : { allowed: true, ...target, ...inside };
}

/** On this machine guests also reach the API over plain http, on port 80, where its public URL is https. */
function planePorts(plane: URL | undefined): number[] {
  if (plane === undefined) return [];
  return plane.protocol === 'https:' ? [portOf(plane), 80] : [portOf(plane)];
}

function agentPorts(agentsDomain: string | undefined): number[] {
  const port = /:(\d+)$/.exec(agentsDomain ?? '')?.[1];
  return port === undefined ? webPorts : [Number(port)];
}

/** Few resolvers know names below localhost. */
function isLocalName(host: string): boolean {
  return host === 'localhost' || host.endsWith('.localhost');
}

/** The platform's own names and the names below them; an allow-list does not open them. */
export function isPlatformName({ controlPlane, agentsDomain }: Pick<EgressConfiguration, 'controlPlane' | 'agentsDomain'>, host: string): boolean {
  if (controlPlane !== undefined && normalHost(new URL(controlPlane).hostname) === host) return true;
  return agentsDomain !== undefined && domainsOf(agentsDomain).some((domain) => host === domain || host.endsWith(`.${domain}`));
}

const owners = new WeakMap<EgressConfiguration, (host: string) => HostOwner>();

function ownerOf(configuration: EgressConfiguration, host: string): HostOwner {
  let known = owners.get(configuration);
  if (known === undefined) {
    known = hostOwner({ baseUrl: configuration.controlPlane, agentsDomain: configuration.agentsDomain });
    owners.set(configuration, known);
  }
  return known(host);
}

export function portOf(url: URL): number {
  if (url.port !== '') return Number(url.port);
  return url.protocol === 'https:' ? 443 : 80;
}
