// To which a host name belongs: the API, one agent, one agent's dev box, or none (unknown). The ingress and
// the guests' egress proxy both decide by this file, so they agree.
//
// The API answers under these names, with any port:
//   - the host of its base URL, before anything else: an agent of that name is not reachable by host
//   - `localhost`
//   - an IP address in its usual spelling: probes of load balancers send it, and no other site's page can (a
//     rebound name stays a name)
//   - no Host at all: HTTP/1.0, as simple probes speak it
//   - what the operator adds (SVC_API_HOSTS): the name of a service inside a cluster
// An agent answers under `<agent>.<agents domain>` and `<agent>.localhost`, one label deep, and what its dev
// box serves under `<agent>--dev.<agents domain>`. Every other name is unknown here: it may be a custom
// domain, which the ingress looks up (api/ingress/custom-domains.ts), and to guests it is a host of the
// internet.
import { z } from 'zod';
import { MODEL_GATEWAY_PATH } from './model-use.ts';
import { TRACE_EXPORT_PATH } from './trace-export.ts';
import { AGENT_SLUG, AgentName, BOX_SUFFIX } from './names.ts';

export type HostOwner = { kind: 'api' } | { kind: 'agent'; name: string } | { kind: 'box'; agent: string } | { kind: 'unknown' };

export interface HostNames {
  /** `https://svc.example.com` */
  baseUrl?: string | undefined;
  /** What follows `<agent>.`, with or without a port: `localhost:8080`. */
  agentsDomain?: string | undefined;
  /** Further names of the API. */
  apiHosts?: readonly string[] | undefined;
}

const API: HostOwner = { kind: 'api' };
const UNKNOWN: HostOwner = { kind: 'unknown' };
const LABEL = /^[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/;
const Address = z.union([z.ipv4(), z.ipv6()]);
/** Hosts come from outside: what is remembered is bounded. */
const MOST_REMEMBERED = 10_000;

/** Answers for a Host header as it came. */
export function hostOwner({ baseUrl, agentsDomain, apiHosts = [] }: HostNames): (host: string | undefined) => HostOwner {
  const named = [...(baseUrl === undefined ? [] : [new URL(baseUrl).host]), 'localhost', ...apiHosts];
  const ours = new Set(named.map(hostName).filter((name) => name !== undefined));
  const suffixes = domainsOf(agentsDomain).map((domain) => `.${domain}`);
  const seen = new Map<string, HostOwner>();

  function decide(host: string): HostOwner {
    const name = hostName(host);
    if (name === undefined) return UNKNOWN;
    if (ours.has(name) || isAddress(name)) return API;
    for (const suffix of suffixes) {
      if (!name.endsWith(suffix)) continue;
      const label = name.slice(0, -suffix.length);
      if (label.endsWith(BOX_SUFFIX)) {
        const agent = label.slice(0, -BOX_SUFFIX.length);
        return AgentName.safeParse(agent).success ? { kind: 'box', agent } : UNKNOWN;
      }
      if (AgentName.safeParse(label).success) return { kind: 'agent', name: label };
    }
    return UNKNOWN;
  }

  return (host) => {
    if (host === undefined || host === '') return API;
    const known = seen.get(host);
    if (known !== undefined) return known;
    const owner = decide(host);
    if (seen.size >= MOST_REMEMBERED) seen.clear();
    seen.set(host, owner);
    return owner;
  };
}

/** Domains below which a name belongs to an agent or is unknown; no other service has a name there. */
export function domainsOf(agentsDomain: string | undefined): string[] {
  const own = agentsDomain === undefined ? undefined : hostName(agentsDomain);
  return [...new Set(['localhost', ...(own === undefined ? [] : [own])])];
}

/** Without its port, lower case, no final dot, no brackets; undefined for what is no name and no address. */
export function hostName(host: string): string | undefined {
  const [, bracketed, plain, port] = /^(?:\[([0-9a-f:.]+)\]|([a-z0-9_.-]+))(?::(\d{0,5}))?$/i.exec(host) ?? [];
  if (Number(port ?? 0) > 65_535) return undefined;
  if (bracketed !== undefined) return isAddress(bracketed) ? bracketed.toLowerCase() : undefined;
  const name = plain?.toLowerCase().replace(/\.$/, '');
  if (name === undefined || name.length > 253) return undefined;
  return name.split('.').every((label) => LABEL.test(label)) ? name : undefined;
}

function isAddress(name: string): boolean {
  return /^[0-9a-f:.]{2,45}$/.test(name) && Address.safeParse(name).success;
}

const OWN_DATA = new RegExp(`^/v1/agents/${AGENT_SLUG}/(?:memory|meta-runs)(?:/|$)`);

/**
 * What of the API is there for agents: the run context, the model gateway, where they export spans,
 * workspaces under grants, what they remember, and who a browser's session belongs to.
 */
export function isForAgents(method: string, pathname: string): boolean {
  if (pathname === '/v1/me') return method === 'GET';
  if (pathname === '/v1/me/subagent-runs/track') return method === 'POST';
  if (OWN_DATA.test(pathname)) return true;
  if (pathname === TRACE_EXPORT_PATH) return method === 'POST';
  return pathname.startsWith('/run/v1/') || pathname.startsWith(MODEL_GATEWAY_PATH) || pathname.startsWith('/v1/workspace-grants/');
}
