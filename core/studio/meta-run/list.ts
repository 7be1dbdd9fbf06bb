import type { z } from 'zod';
import type { MetaRunOut } from '#contract/studio/meta-agent-runs.ts';
import type { MetaRunsRow } from '#db/tables.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { microseconds, newestFirst } from '../../kernel/keyset.ts';
import { type Page, toPage } from '../../kernel/page.ts';
import { keeperOf, ownedMetaRun, presentMetaRun } from './find.ts';

type MetaRun = z.infer<typeof MetaRunOut>;

export async function getMetaRun(ctx: Ctx, i: { name: string; run_id: string }): Promise<MetaRun> {
  return presentMetaRun(i.name, await ownedMetaRun(ctx.db, await keeperOf(ctx, 'meta_run.read', i.name), i.run_id));
}

/** Newest first. */
export async function listMetaRuns(ctx: Ctx, i: { name: string; limit: number; cursor?: string | undefined; state: 'all' | 'open' }): Promise<Page<MetaRun>> {
  const { agentId, userId } = await keeperOf(ctx, 'meta_run.read', i.name);
  const query = ctx
    .db('meta_runs')
    .where({ agent_id: agentId, user_id: userId })
    .select<(MetaRunsRow & { cursor_at: number })[]>('*', ctx.db.raw(`${microseconds('created_at')} as cursor_at`));
  if (i.state === 'open') void query.whereNull('ended_at');
  newestFirst(query, ['created_at', 'meta_run_id'], i);
  return toPage(
    await query,
    i.limit,
    (row) => presentMetaRun(i.name, row),
    (row) => [row.cursor_at, row.meta_run_id],
  );
}
