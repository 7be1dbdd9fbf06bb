// Changes of memories: each is written with its reason, and can be taken back.
import type { Knex } from 'knex';
import type { ChangeOut } from '#contract/studio/company-brain.ts';
import type { BrainChangesRow, TeamMemoriesRow } from '#db/tables.ts';
import { act, done, unchanged } from '../../kernel/act.ts';
import type { Ctx, TxCtx } from '../../kernel/ctx.ts';
import { NotFound } from '../../kernel/errors.ts';
import { newId } from '../../kernel/ids.ts';
import { requireUser } from '../../kernel/policy.ts';

type Change = { kind: 'aged'; reason: string } | { kind: 'merged'; into: string; reason: string };

/** Of a memory that is current; undefined: it is no longer. */
export async function changeMemory(
  ctx: TxCtx,
  memory: Pick<TeamMemoriesRow, 'memory_id' | 'owner_id' | 'text'>,
  change: Change,
): Promise<ChangeOut | undefined> {
  const set =
    change.kind === 'aged' ? { state: 'stale' as const, reason: change.reason } : { state: 'merged' as const, reason: change.reason, merged_into: change.into };
  const moved = await ctx.db('team_memories').where({ memory_id: memory.memory_id, state: 'current' }).update(set); // prettier-ignore
  if (moved === 0) return undefined;
  const { memory_id, owner_id } = memory;
  const [row] = await ctx
    .db('brain_changes')
    .insert({ change_id: newId('bch', ctx.clock()), owner_id, kind: change.kind, memory_id, reason: change.reason, created_at: new Date(ctx.clock()) })
    .returning('*');
  if (!row) throw new Error('a change was not written');
  return presentChange({ ...row, text: memory.text });
}

/** Undone again it stays as it is. @throws NotFound brain_change_not_found */
export async function undoChange(ctx: Ctx, i: { change_id: string }): Promise<ChangeOut> {
  return act(ctx, 'brain.change', requireUser, async (ctx, { user_id }) => {
    const change = await ctx.db('brain_changes').where({ change_id: i.change_id, owner_id: user_id }).forUpdate().first();
    const memory = change && (await ctx.db('team_memories').where({ memory_id: change.memory_id }).forUpdate().first());
    if (!change || !memory) throw new NotFound('brain_change_not_found', `You have no change ${i.change_id} of a memory`);
    if (change.undone_at !== null) return unchanged(presentChange({ ...change, text: memory.text }));
    const now = new Date(ctx.clock());
    // Not where a later change made it what it is now.
    await ctx
      .db('team_memories')
      .where({ memory_id: memory.memory_id, reason: change.reason })
      .update({ state: 'current', reason: null, merged_into: null, confirmed_at: now });
    await ctx.db('brain_changes').where({ change_id: change.change_id }).update({ undone_at: now });
    const answer = presentChange({ ...change, undone_at: now, text: memory.text });
    return done({ brain_change: change.change_id }, { undone: true, memory_id: memory.memory_id }, answer);
  });
}

export async function newestChanges(db: Knex, ownerId: string, limit: number): Promise<ChangeOut[]> {
  const rows = await db('brain_changes as c')
    .join('team_memories as m', 'm.memory_id', 'c.memory_id')
    .where('c.owner_id', ownerId)
    .orderBy([
      { column: 'c.created_at', order: 'desc' },
      { column: 'c.change_id', order: 'desc' },
    ]) // prettier-ignore
    .limit(limit)
    .select<(BrainChangesRow & { text: string })[]>('c.*', 'm.text');
  return rows.map(presentChange);
}

const presentChange = (row: BrainChangesRow & { text: string }): ChangeOut => ({
  change_id: row.change_id,
  kind: row.kind,
  memory_id: row.memory_id,
  text: row.text,
  reason: row.reason,
  created_at: row.created_at.toISOString(),
  undone_at: row.undone_at?.toISOString() ?? null,
});
