import type { z } from 'zod';
import type { MemoryListOut, MemoryOut } from '#contract/agents/agent-memory.ts';
import { act, done } from '../../kernel/act.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { NotFound } from '../../kernel/errors.ts';
import { decodeCursor, encodeCursor } from '../../kernel/page.ts';
import { memoryNamed, type MemoryOf, memoryOwner } from './owner.ts';
import { fittingMemories, memoryColumns, presentMemory } from './present.ts';
import { alive } from './put.ts';

interface Place extends MemoryOf {
  namespace: string;
  key: string;
}

export async function getMemory(ctx: Ctx, { namespace, key, ...of }: Place): Promise<z.infer<typeof MemoryOut>> {
  const owner = await memoryOwner(ctx, 'agent_memory.read', 'shared_memory.read', of);
  const row = await ctx
    .db('agent_memories')
    .where({ ...owner, namespace, key })
    .where(alive(ctx.clock()))
    .first(...memoryColumns);
  if (!row) throw nothingThere(namespace, key);
  return presentMemory(row);
}

export async function deleteMemory(ctx: Ctx, { namespace, key, ...of }: Place): Promise<void> {
  await act(ctx, of.shared === true ? 'shared_memory.delete' : 'agent_memory.delete', memoryNamed(of), async (ctx, owner) => {
    const gone = await ctx
      .db('agent_memories')
      .where({ ...owner, namespace, key })
      .where(alive(ctx.clock()))
      .delete();
    if (gone === 0) throw nothingThere(namespace, key);
    const facts = { namespace, user_id: owner.user_id, ...(owner.shared && { shared: true }) };
    return done({ agent: owner.agent_id }, facts, undefined, { action: 'agent_memory.delete' });
  });
}

export interface ListIn extends MemoryOf {
  namespace?: string | undefined;
  prefix?: string | undefined;
  limit: number;
  cursor?: string | undefined;
}

export async function listMemory(ctx: Ctx, i: ListIn): Promise<z.infer<typeof MemoryListOut>> {
  const owner = await memoryOwner(ctx, 'agent_memory.read', 'shared_memory.read', i);
  const query = ctx.db('agent_memories').where(owner).where(alive(ctx.clock()));
  if (i.namespace !== undefined) query.where({ namespace: i.namespace });
  if (i.prefix !== undefined) query.whereRaw('starts_with(key, ?)', [i.prefix]);
  if (i.cursor !== undefined) query.whereRaw('(namespace, key) > (?, ?)', decodeCursor(i.cursor, ['string', 'string']));
  query
    .orderBy('namespace')
    .orderBy('key')
    .limit(i.limit + 1);
  // Sizes first: a page of large values ends early instead of filling memory.
  const entries = await query.clone().select('namespace', 'key', 'size_bytes');
  const page = entries.slice(0, Math.min(i.limit, fittingMemories(entries)));
  const rows =
    page.length === 0
      ? []
      : await query
          .clone()
          .clear('limit')
          .limit(page.length)
          .select(...memoryColumns);
  const last = rows.at(-1);
  return { items: rows.map(presentMemory), next_cursor: entries.length > page.length && last ? encodeCursor([last.namespace, last.key]) : null };
}

function nothingThere(namespace: string, key: string): NotFound {
  return new NotFound('memory_not_found', `There is no memory entry ${key} in ${namespace}`);
}
