import type { z } from 'zod';
import type { MetaRunOut } from '#contract/studio/meta-agent-runs.ts';
import type { MetaRunsRow } from '#db/tables.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { newestPage } from '../../kernel/keyset.ts';
import type { Page } from '../../kernel/page.ts';
import { keeperOf, ownedMetaRun, presentMetaRun } from './find.ts';

type MetaRun = z.infer<typeof MetaRunOut>;

export async function getMetaRun(ctx: Ctx, i: { name: string; run_id: string }): Promise<MetaRun> {
  return presentMetaRun(i.name, await ownedMetaRun(ctx.db, await keeperOf(ctx, 'meta_run.read', i.name), i.run_id));
}

/** Newest first. */
export async function listMetaRuns(ctx: Ctx, i: { name: string; limit: number; cursor?: string | undefined; state: 'all' | 'open' }): Promise<Page<MetaRun>> {
  const { agentId, userId } = await keeperOf(ctx, 'meta_run.read', i.name);
  const query = ctx.db('meta_runs').where({ agent_id: agentId, user_id: userId }).select<MetaRunsRow[]>('*');
  if (i.state === 'open') void query.whereNull('ended_at');
  return newestPage(query, ['created_at', 'meta_run_id'], i, (row) => presentMetaRun(i.name, row));
}
