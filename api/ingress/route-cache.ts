// What the ingress must know of an agent; the resolver is handed in by the composition root.
import type { AgentRoute } from '#core/agents/route/resolve.ts';

export type IngressRoute = AgentRoute;

/** Undefined: no such agent, or none of its deployments is live. */
export type ResolveRoute = (agentName: string) => Promise<IngressRoute | undefined>;

/** What was looked up, remembered by name. */
export interface Table<T> {
  /** At once when it is known. */
  get(name: string): T | undefined | Promise<T | undefined>;
  /** Forgets one name, or all of them. */
  drop(name?: string): void;
}

interface Entry<T> {
  found: T | undefined;
  until: number;
}

/** Notifications drop an entry the moment it changes; this bounds the harm of one that was missed. */
const FRESH_MS = 30_000;
const ABSENT_FRESH_MS = 1_000;
const MOST = 10_000;

export function createTable<T>(resolve: (name: string) => Promise<T | undefined>): Table<T> {
  const known = new Map<string, Entry<T>>();
  const asking = new Map<string, Promise<T | undefined>>();

  async function ask(name: string): Promise<T | undefined> {
    const value = await resolve(name);
    // Dropped while we asked: what we learned may be old already.
    if (asking.get(name) === undefined) return value;
    const [oldest] = known.keys();
    if (known.size >= MOST && oldest !== undefined) known.delete(oldest);
    known.set(name, { found: value, until: performance.now() + (value ? FRESH_MS : ABSENT_FRESH_MS) });
    return value;
  }

  return {
    get(name) {
      const entry = known.get(name);
      if (entry && entry.until > performance.now()) return entry.found;
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
