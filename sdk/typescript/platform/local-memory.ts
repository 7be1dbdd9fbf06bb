// ctx.memory and ctx.sharedMemory of a laptop and of tests: in memory, by agent.
import { MAX_MEMORY_ENTRIES, MAX_MEMORY_VALUE_BYTES } from '../../../contract/wire/limits.ts';
import type { Memory, MemoryEntry } from '../authoring/context.ts';
import { NotAvailable } from '../authoring/errors.ts';
import { checkedKey, DEFAULT_NAMESPACE } from './control-plane-memory.ts';

export class LocalMemories {
  readonly #places = new Map<string, Map<string, MemoryEntry>>();

  /** @param person one of several; default: there is one */
  of(agent: string, person = ''): Memory {
    return this.#at(`${agent} of ${person}`);
  }

  sharedOf(agent: string): Memory {
    return this.#at(agent);
  }

  #at(place: string): Memory {
    let entries = this.#places.get(place);
    if (!entries) this.#places.set(place, (entries = new Map()));
    return memoryOver(entries);
  }
}

function memoryOver(entries: Map<string, MemoryEntry>): Memory {
  const place = (namespace: string, key: string): string => `${namespace} ${checkedKey(key)}`;
  const alive = (entry: MemoryEntry | undefined): MemoryEntry | undefined => (entry && !isOver(entry) ? entry : undefined);
  const sorted = (namespace: string | undefined): MemoryEntry[] =>
    [...entries]
      .filter(([, entry]) => !isOver(entry) && (namespace === undefined || entry.namespace === namespace))
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([, entry]) => entry);
  return {
    get: async (key, { namespace = DEFAULT_NAMESPACE } = {}) => alive(entries.get(place(namespace, key))),
    put: async (key, value, { namespace = DEFAULT_NAMESPACE, metadata = {}, ttlSeconds = null, ifVersion } = {}) => {
      const at = place(namespace, key);
      const before = entries.get(at);
      if (ifVersion !== undefined && ifVersion !== (alive(before)?.version ?? 0)) return undefined;
      const json = JSON.stringify(value ?? null);
      if (Buffer.byteLength(json) > MAX_MEMORY_VALUE_BYTES) throw new TypeError(`memory.put: a value has at most ${MAX_MEMORY_VALUE_BYTES} bytes as JSON`);
      if (!before && entries.size >= MAX_MEMORY_ENTRIES) throw new TypeError(`memory.put: at most ${MAX_MEMORY_ENTRIES} entries are kept`);
      const now = new Date().toISOString();
      const entry: MemoryEntry = Object.freeze({
        namespace,
        key,
        value: JSON.parse(json),
        metadata: { ...metadata },
        version: (before?.version ?? 0) + 1,
        expiresAt: ttlSeconds === null ? null : new Date(Date.now() + ttlSeconds * 1000).toISOString(),
        createdAt: alive(before)?.createdAt ?? now,
        updatedAt: now,
      });
      entries.set(at, entry);
      return entry;
    },
    delete: async (key, { namespace = DEFAULT_NAMESPACE } = {}) => {
      const at = place(namespace, key);
      const there = alive(entries.get(at)) !== undefined;
      entries.delete(at);
      return there;
    },
    list: async ({ namespace, prefix = '', limit = 50, cursor } = {}) => {
      const after = sorted(namespace).filter((entry) => entry.key.startsWith(prefix) && (!cursor || `${entry.namespace} ${entry.key}` > cursor));
      const items = after.slice(0, limit);
      const last = items.at(-1);
      return { items, nextCursor: after.length > limit && last ? `${last.namespace} ${last.key}` : null };
    },
    search: async (query, { namespace, limit = 10 } = {}) => {
      const words = query.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
      const scored = sorted(namespace).map((entry) => {
        const text = `${entry.key} ${JSON.stringify([entry.value, entry.metadata])}`.toLowerCase();
        return { ...entry, score: words.filter((word) => text.includes(word)).length };
      });
      return words.length === 0 ? [] : scored.filter(({ score }) => score === words.length).slice(0, limit);
    },
  };
}

function isOver({ expiresAt }: MemoryEntry): boolean {
  return expiresAt !== null && Date.parse(expiresAt) <= Date.now();
}

/** Of a caller without an account. */
export const NO_MEMORY: Memory = Object.freeze({
  get: refused,
  put: refused,
  delete: refused,
  list: refused,
  search: refused,
});

function refused(): Promise<never> {
  return Promise.reject(new NotAvailable('memory of a caller without an account'));
}
