// ctx.memory and ctx.sharedMemory over the control plane: what this agent remembers of the person the run
// works for, and what it keeps for all.
import { z } from 'zod';
import { callTo } from '../../../contract/path-to.ts';
import type { Memory, MemoryEntry } from '../authoring/context.ts';
import { PlatformError, type PlatformRequest } from './run-client.ts';

const WireEntry = z.object({
  namespace: z.string(),
  key: z.string(),
  value: z.unknown(),
  metadata: z.record(z.string(), z.unknown()),
  version: z.number(),
  expires_at: z.string().nullable(),
  created_at: z.string(),
  updated_at: z.string(),
});
const Page = z.object({ items: z.array(WireEntry), next_cursor: z.string().nullable() });
const SearchAnswer = z.object({ items: z.array(WireEntry.extend({ score: z.number() })) });

export const DEFAULT_NAMESPACE = 'default';

export interface MemoryTransport {
  json<T>(request: PlatformRequest, model: z.ZodType<T>): Promise<T>;
  bytes(request: PlatformRequest): Promise<Uint8Array>;
}

/** @param shared what the agent keeps for all; else: for the person that the run works for */
export function remoteMemory(name: string, { json, bytes }: MemoryTransport, shared = false): Memory {
  const which = shared ? { shared: 'true' } : {};
  return {
    get: (key, { namespace = DEFAULT_NAMESPACE } = {}) =>
      unless(
        'memory_not_found',
        json(
          { ...callTo('GET /v1/agents/{name}/memory/{namespace}/{key:path}', { name, namespace, key: checkedKey(key) }), query: which, what: 'memory.get()' },
          WireEntry,
        ).then(entryOf),
      ),
    put: (key, value, { namespace = DEFAULT_NAMESPACE, metadata = {}, ttlSeconds = null, ifVersion } = {}) =>
      unless(
        'version_conflict',
        json(
          {
            ...callTo('PUT /v1/agents/{name}/memory', { name }),
            json: {
              namespace,
              key: checkedKey(key),
              value: value ?? null,
              metadata,
              ttl_seconds: ttlSeconds,
              ...(shared && { shared }),
              ...(ifVersion !== undefined && { if_version: ifVersion }),
            },
            // Sent twice it would find its own first time.
            repeatable: ifVersion === undefined,
            what: 'memory.put()',
          },
          WireEntry,
        ).then(entryOf),
      ),
    delete: async (key, { namespace = DEFAULT_NAMESPACE } = {}) =>
      (await unless(
        'memory_not_found',
        bytes({
          ...callTo('DELETE /v1/agents/{name}/memory/{namespace}/{key:path}', { name, namespace, key: checkedKey(key) }),
          query: which,
          what: 'memory.delete()',
        }),
      )) !== undefined,
    list: async ({ namespace, prefix, limit = 50, cursor } = {}) => {
      const query = { namespace, prefix, limit: String(limit), cursor: cursor ?? undefined, ...which };
      const page = await json({ ...callTo('GET /v1/agents/{name}/memory', { name }), query, what: 'memory.list()' }, Page);
      return { items: page.items.map(entryOf), nextCursor: page.next_cursor };
    },
    search: async (q, { namespace, limit = 10 } = {}) => {
      const query = { q, namespace, limit: String(limit), ...which };
      const { items } = await json({ ...callTo('GET /v1/agents/{name}/memory/search', { name }), query, what: 'memory.search()' }, SearchAnswer);
      return items.map((item) => ({ ...entryOf(item), score: item.score }));
    },
  };
}

function entryOf(wire: z.infer<typeof WireEntry>): MemoryEntry {
  const { namespace, key, value, metadata, version } = wire;
  return { namespace, key, value, metadata, version, expiresAt: wire.expires_at, createdAt: wire.created_at, updatedAt: wire.updated_at };
}

/** An address would be taken apart at them. @throws TypeError */
export function checkedKey(key: string): string {
  if (key.length <= 512 && !key.split('/').some((part) => part === '' || part === '.' || part === '..')) return key;
  throw new TypeError('memory: a key has 1 to 512 characters and no empty, "." or ".." part between slashes');
}

/** Undefined where the platform refuses with that code. */
export async function unless<T>(code: string, work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof PlatformError && error.platformCode === code) return undefined;
    throw error;
  }
}
