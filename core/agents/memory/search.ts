// Every word of the question first, the beginnings of words too; what is misspelt is compared with the newest
// entries when that found too few.
import type { z } from 'zod';
import type { MemorySearchOut } from '#contract/agents/agent-memory.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { tsquery, wordsOf } from '../search/words.ts';
import { type MemoryOf, memoryOwner } from './owner.ts';
import { fittingMemories, memoryColumns, presentMemory, type MemoryRow } from './present.ts';

export interface SearchIn extends MemoryOf {
  q: string;
  namespace?: string | undefined;
  limit: number;
}

interface MemoryHit {
  namespace: string;
  key: string;
  size_bytes: number;
  score: number;
}

/** Entries looked at for misspelt words, and how much of each. */
const comparedEntries = 1_000;
const comparedCharacters = 1_000;
/** Of 1: "invoce" is 0.6 like "invoice". */
const alikeFrom = 0.4;

export async function searchMemory(ctx: Ctx, i: SearchIn): Promise<z.infer<typeof MemorySearchOut>> {
  const owner = await memoryOwner(ctx, 'agent_memory.read', 'shared_memory.read', i);
  const words = wordsOf(i.q);
  if (words.length === 0) return { items: [] };
  const bindings = { ...owner, query: tsquery(words, '&'), q: words.join(' '), now: new Date(ctx.clock()).toISOString(), limit: i.limit };
  const narrow = i.namespace === undefined ? '' : 'and namespace = :namespace';
  const { rows: found } = await ctx.db.raw<{ rows: MemoryHit[] }>(
    `with mine as (
       select * from agent_memories
       where agent_id = :agent_id and user_id = :user_id and shared = :shared and (expires_at is null or expires_at > :now) ${narrow}
     ), exact as materialized (
       select namespace, key, size_bytes, 1 + ts_rank(search, :query::tsquery) as score, updated_at
       from mine where search @@ :query::tsquery order by score desc, updated_at desc, namespace, key limit :limit
     ), alike as (
       select namespace, key, size_bytes, word_similarity(:q, left(search_text, ${comparedCharacters})) as score, updated_at
       from (select * from mine order by updated_at desc limit ${comparedEntries}) newest
       where (select count(*) from exact) < :limit
     )
     select namespace, key, size_bytes, score::float8 as score from (
       select * from exact union all
       select * from alike where score >= ${alikeFrom} and not exists (select 1 from exact where exact.namespace = alike.namespace and exact.key = alike.key)
     ) both_kinds order by score desc, updated_at desc, namespace, key limit :limit`,
    { ...bindings, ...(i.namespace === undefined ? {} : { namespace: i.namespace }) },
  );
  const fittingHits = found.slice(0, fittingMemories(found));
  if (fittingHits.length === 0) return { items: [] };
  const rows = await ctx
    .db('agent_memories')
    .where(owner)
    .whereIn(
      ['namespace', 'key'],
      fittingHits.map(({ namespace, key }) => [namespace, key]),
    )
    .select(...memoryColumns);
  const byPlace = new Map(rows.map((row) => [placeOf(row), row]));
  const items = fittingHits.flatMap((hit) => {
    const row: MemoryRow | undefined = byPlace.get(placeOf(hit));
    return row ? [{ ...presentMemory(row), score: hit.score }] : [];
  });
  return { items };
}

function placeOf({ namespace, key }: { namespace: string; key: string }): string {
  return `${namespace} ${key}`;
}
