import type { BrainStatusOut } from '#contract/studio/company-brain.ts';
import { DISPATCH_STATES, TEAM_MEMORY_STATES } from '#contract/states.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { requireUser } from '../../kernel/policy.ts';
import { newestChanges } from './change.ts';
import { spentToday } from './dispatch.ts';
import { runtimeOf } from './runtime.ts';

const MOST_CHANGES = 20;

export async function brainStatus(ctx: Ctx): Promise<BrainStatusOut> {
  const { user_id } = requireUser(ctx, 'brain.read');
  const { db } = ctx;
  const counted = async (table: 'team_memories' | 'brain_dispatches'): Promise<Map<string, number>> => {
    const rows = await db(table).where({ owner_id: user_id }).groupBy('state').select<{ state: string; count: number }[]>('state', db.raw('count(*)::int as count')); // prettier-ignore
    return new Map(rows.map(({ state, count }) => [state, count]));
  };
  const [memories, dispatches] = [await counted('team_memories'), await counted('brain_dispatches')];
  const [unsourced] = await db('team_memories').where({ owner_id: user_id, state: 'current' }).whereRaw(`sources = '{}'`).select<{ count: number }[]>(db.raw('count(*)::int as count')); // prettier-ignore
  const { rows: artifacts } = await db.raw<{ rows: { artifact_id: string; kind: BrainStatusOut['artifacts'][number]['kind']; created_at: Date }[] }>(
    'select distinct on (kind) artifact_id, kind, created_at from brain_artifacts where owner_id = ? order by kind, created_at desc, artifact_id desc',
    [user_id],
  );
  return {
    runtime: await runtimeOf(db, user_id),
    memories: of(TEAM_MEMORY_STATES, memories),
    without_source: unsourced?.count ?? 0,
    dispatches: of(DISPATCH_STATES, dispatches),
    spent_today_micros: await spentToday(ctx, user_id),
    artifacts: artifacts.map(({ artifact_id, kind, created_at }) => ({ artifact_id, kind, created_at: created_at.toISOString() })),
    changes: await newestChanges(db, user_id, MOST_CHANGES),
  };
}

// Safe: an entry for every state.
const of = <S extends string>(states: readonly S[], counts: ReadonlyMap<string, number>): Record<S, number> =>
  Object.fromEntries(states.map((state) => [state, counts.get(state) ?? 0])) as Record<S, number>;
