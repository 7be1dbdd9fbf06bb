import type { Knex } from 'knex';
import type { z } from 'zod';
import { MAX_MEMORY_BYTES, MAX_MEMORY_METADATA_BYTES, type MemoryOut, type MemoryUpsertIn } from '#contract/agents/agent-memory.ts';
import { MAX_MEMORY_ENTRIES, MAX_MEMORY_VALUE_BYTES } from '#contract/wire/limits.ts';
import { act, done } from '../../kernel/act.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { Conflict, PayloadTooLarge } from '../../kernel/errors.ts';
import { lockName } from '../../kernel/lock-name.ts';
import { memoryNamed, type MemoryOf, type MemoryOwner } from './owner.ts';
import { memoryColumns, presentMemory, type MemoryRow } from './present.ts';
import { searchTextOf } from './search-text.ts';

/** @throws Conflict version_conflict, memory_full; PayloadTooLarge memory_too_large */
export async function putMemory(ctx: Ctx, i: MemoryOf & Omit<z.infer<typeof MemoryUpsertIn>, 'shared'>): Promise<z.infer<typeof MemoryOut>> {
  const value = JSON.stringify(i.value);
  const metadata = JSON.stringify(i.metadata);
  const size = bytesOf(value, MAX_MEMORY_VALUE_BYTES, 'value') + bytesOf(metadata, MAX_MEMORY_METADATA_BYTES, 'metadata');
  return act(ctx, i.shared === true ? 'shared_memory.put' : 'agent_memory.put', memoryNamed(i), async (ctx, owner) => {
    const now = ctx.clock();
    // One writer at a time for one person, or what is shared, at one agent: or two could both be the last
    // that fits.
    await lockName(ctx.db, `agent_memories ${owner.agent_id} ${owner.shared ? 'shared' : owner.user_id}`);
    await requireRoom(ctx.db, owner, i, size, now);
    const row = await write(ctx.db, i.if_version, {
      ...owner,
      namespace: i.namespace,
      key: i.key,
      value,
      metadata,
      size,
      search_text: searchTextOf(i.key, i.value, i.metadata),
      expires_at: i.ttl_seconds === null ? null : new Date(now + i.ttl_seconds * 1000).toISOString(),
      now: new Date(now).toISOString(),
    });
    if (!row) {
      const there = await ctx
        .db('agent_memories')
        .where({ ...owner, namespace: i.namespace, key: i.key })
        .where(alive(now))
        .first('version');
      const what = there ? `version ${there.version}` : 'no entry';
      throw new Conflict('version_conflict', `There is ${what} under ${i.key}, not version ${i.if_version}: read it again, then decide`, {
        version: there?.version ?? 0,
      });
    }
    const { shared, user_id } = owner;
    // One word in the log for both: its facts say what is shared.
    const facts = { namespace: i.namespace, user_id, version: row.version, ...(shared && { shared }) };
    return done({ agent: owner.agent_id }, facts, presentMemory(row), { action: 'agent_memory.put' });
  });
}

/** Entries whose time is not over: hidden at once, deleted by housekeeping later. */
export function alive(now: number): (query: Knex.QueryBuilder) => void {
  return (query) => void query.whereNull('expires_at').orWhere('expires_at', '>', new Date(now).toISOString());
}

interface Entry extends MemoryOwner {
  namespace: string;
  key: string;
  value: string;
  metadata: string;
  size: number;
  search_text: string;
  expires_at: string | null;
  now: string;
}

/** Undefined: it has another version than the one asked for. */
async function write(tx: Knex.Transaction, ifVersion: number | undefined, entry: Entry): Promise<MemoryRow | undefined> {
  const over = 'm.expires_at <= :now';
  const onlyNew = ifVersion === 0 ? `where ${over}` : '';
  const sql =
    ifVersion === undefined || ifVersion === 0
      ? `insert into agent_memories as m (agent_id, user_id, shared, namespace, key, value, metadata, size_bytes, search_text, expires_at, created_at, updated_at)
         values (:agent_id, :user_id, :shared, :namespace, :key, :value::json, :metadata::jsonb, :size, :search_text, :expires_at, :now, :now)
         on conflict (agent_id, user_id, shared, namespace, key) do update set
           value = excluded.value, metadata = excluded.metadata, size_bytes = excluded.size_bytes, search_text = excluded.search_text,
           expires_at = excluded.expires_at, updated_at = excluded.updated_at, version = m.version + 1,
           created_at = case when ${over} then excluded.created_at else m.created_at end
         ${onlyNew}`
      : `update agent_memories as m set value = :value::json, metadata = :metadata::jsonb, size_bytes = :size, search_text = :search_text,
           expires_at = :expires_at, updated_at = :now, version = m.version + 1
         where agent_id = :agent_id and user_id = :user_id and shared = :shared and namespace = :namespace and key = :key
           and version = :ifVersion and (${over}) is not true`;
  const { rows } = await tx.raw<{ rows: MemoryRow[] }>(`${sql} returning ${memoryColumns.map((name) => `m.${name}`).join(', ')}`, {
    ...entry,
    ...(ifVersion === undefined || ifVersion === 0 ? {} : { ifVersion }),
  });
  return rows[0];
}

async function requireRoom(tx: Knex.Transaction, owner: MemoryOwner, i: { namespace: string; key: string }, size: number, now: number): Promise<void> {
  const [others = { entries: 0, bytes: 0 }] = await tx('agent_memories')
    .where(owner)
    .whereRaw('(namespace, key) <> (?, ?)', [i.namespace, i.key])
    .where(alive(now))
    .select<{ entries: number; bytes: number }[]>(tx.raw('count(*) as entries, coalesce(sum(size_bytes), 0)::bigint as bytes'));
  if (others.entries + 1 <= MAX_MEMORY_ENTRIES && others.bytes + size <= MAX_MEMORY_BYTES) return;
  throw new Conflict(
    'memory_full',
    `An agent keeps at most ${MAX_MEMORY_ENTRIES} entries and ${MAX_MEMORY_BYTES} bytes for one person, and as much that is shared: delete some, or give them a ttl_seconds`,
    { entries: others.entries, bytes: others.bytes },
  );
}

function bytesOf(json: string, most: number, what: 'value' | 'metadata'): number {
  const bytes = Buffer.byteLength(json);
  if (bytes <= most) return bytes;
  throw new PayloadTooLarge('memory_too_large', `The ${what} has ${bytes} bytes; at most ${most} are kept: write large things as files or artifacts`);
}
