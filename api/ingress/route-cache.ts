// What the ingress must know of an agent; the resolver is handed in by the composition root.
import type { AgentRoute } from '#core/agents/route/resolve.ts';

export type IngressRoute = AgentRoute;

/** Undefined: no such agent, or none of its deployments is live. */
export type ResolveRoute = (agentName: string) => Promise<IngressRoute | undefined>;

export interface RouteTable {
  /** At once when the route is known. */
  get(agentName: string): IngressRoute | undefined | Promise<IngressRoute | undefined>;
  /** Forgets one agent's route, or all of them. */
  drop(agentName?: string): void;
}

interface Entry {
  route: IngressRoute | undefined;
  until: number;
}

/** Notifications drop a route the moment it changes; this bounds the harm of one that was missed. */
const FRESH_MS = 30_000;
const ABSENT_FRESH_MS = 1_000;
const MOST = 10_000;

export function createRouteTable(resolve: ResolveRoute, clock: () => number): RouteTable {
  const known = new Map<string, Entry>();
  const asking = new Map<string, Promise<IngressRoute | undefined>>();

  async function ask(name: string): Promise<IngressRoute | undefined> {
    const route = await resolve(name);
    // Dropped while we asked: what we learned may be old already.
    if (asking.get(name) === undefined) return route;
    const [oldest] = known.keys();
    if (known.size >= MOST && oldest !== undefined) known.delete(oldest);
    known.set(name, { route, until: clock() + (route ? FRESH_MS : ABSENT_FRESH_MS) });
    return route;
  }

  return {
    get(name) {
      const entry = known.get(name);
      if (entry && entry.until > clock()) return entry.route;
      const already = asking.get(name);
      if (already) return already;
      const answer = ask(name).finally(() => asking.get(name) === answer && asking.delete(name));
      asking.set(name, answer);
      return answer;
    },
    drop(name) {
      if (name === undefined) {
        known.clear();
        asking.clear();
      } else {
        known.delete(name);
        asking.delete(name);
      }
    },
  };
}
