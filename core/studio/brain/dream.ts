// The nightly work on memories: duplicates are merged, contradictions listed, and memories that were not
// confirmed for long are marked as stale.
import type { AgingOut, ChangeOut, DreamOut } from '#contract/studio/company-brain.ts';
import type { TeamMemoriesRow } from '#db/tables.ts';
import { act, recorded } from '../../kernel/act.ts';
import type { Ctx, TxCtx } from '../../kernel/ctx.ts';
import { lockName } from '../../kernel/lock-name.ts';
import { requireUser } from '../../kernel/policy.ts';
import { keepArtifact, type StoredArtifact } from './artifact.ts';
import { changeMemory } from './change.ts';
import { contradictionsIn, duplicatesIn } from './similar.ts';

const DAY_MS = 86_400_000;
const STALE_DAYS = 180;
/** Of one night, the newest. */
const MOST_LOOKED_AT = 1_000;
const MOST_CONTRADICTIONS = 100;

export async function ageMemories(ctx: Ctx, i: { days: number }): Promise<StoredArtifact<AgingOut>> {
  return act(ctx, 'brain.change', requireUser, async (ctx, { user_id }) => {
    const changes = await age(ctx, user_id, i.days);
    return recorded(await keepArtifact(ctx, { owner_id: user_id, kind: 'aging' }, { changes }, { changes: changes.length }));
  });
}

export async function dream(ctx: Ctx): Promise<StoredArtifact<DreamOut>> {
  return act(ctx, 'brain.change', requireUser, async (ctx, { user_id }) => {
    // Of two nights at once the second finds what the first has done.
    await lockName(ctx.db, `brain/${user_id}`);
    const aged = await age(ctx, user_id, STALE_DAYS);
    const memories = await ctx.db('team_memories').where({ owner_id: user_id, state: 'current' }).orderBy('created_at', 'desc').orderBy('memory_id', 'desc').limit(MOST_LOOKED_AT); // prettier-ignore
    const merged: ChangeOut[] = [];
    for (const { older, newer } of duplicatesIn(memories)) {
      const change = await merge(ctx, byId(memories, older.memory_id), byId(memories, newer.memory_id));
      if (change) merged.push(change);
    }
    const gone = new Set(merged.map(({ memory_id }) => memory_id));
    const contradictions = contradictionsIn(memories.filter(({ memory_id }) => !gone.has(memory_id))).slice(0, MOST_CONTRADICTIONS);
    const artifact = { looked_at: memories.length, changes: [...merged, ...aged], contradictions };
    const counts = { merged: merged.length, aged: aged.length, contradictions: contradictions.length };
    return recorded(await keepArtifact(ctx, { owner_id: user_id, kind: 'dream' }, artifact, counts));
  });
}

async function age(ctx: TxCtx, ownerId: string, days: number): Promise<ChangeOut[]> {
  const before = new Date(ctx.clock() - days * DAY_MS);
  const old = await ctx
    .db('team_memories')
    .where({ owner_id: ownerId, state: 'current' })
    .whereRaw('coalesce(confirmed_at, created_at) < ?', [before])
    .orderBy('created_at')
    .limit(MOST_LOOKED_AT)
    .forUpdate();
  const changes: ChangeOut[] = [];
  for (const memory of old) {
    const change = await changeMemory(ctx, memory, { kind: 'aged', reason: `Not confirmed for ${days} days` });
    if (change) changes.push(change);
  }
  return changes;
}

/** The newer one gets the sources of the older. */
async function merge(ctx: TxCtx, older: TeamMemoriesRow, newer: TeamMemoriesRow): Promise<ChangeOut | undefined> {
  const change = await changeMemory(ctx, older, { kind: 'merged', into: newer.memory_id, reason: `It says the same as ${newer.memory_id}` });
  if (!change) return undefined;
  const sources = [...new Set([...newer.sources, ...older.sources])];
  newer.sources = sources;
  await ctx.db('team_memories').where({ memory_id: newer.memory_id }).update({ sources });
  return change;
}

function byId(memories: readonly TeamMemoriesRow[], id: string): TeamMemoriesRow {
  const memory = memories.find(({ memory_id }) => memory_id === id);
  if (!memory) throw new Error('a pair of a memory that was not compared');
  return memory;
}
