import type { DatabaseProjectDetailOut, DatabaseProjectListOut } from '#contract/agents/databases.ts';
import type { z } from 'zod';
import type { Ctx } from '../../kernel/ctx.ts';
import { microseconds, newestFirst } from '../../kernel/keyset.ts';
import { toPage } from '../../kernel/page.ts';
import { whereMay } from '../../kernel/policy.ts';
import { setting } from '../../kernel/settings.ts';
import { projectFor } from './find.ts';
import { maxBytes, presentDetail, presentProject, type ProjectView, selectProjects } from './present.ts';

/** Newest first. */
export async function listDatabases(ctx: Ctx, i: { limit: number; cursor?: string | undefined }): Promise<z.infer<typeof DatabaseProjectListOut>> {
  const query = selectProjects(ctx.db)
    .whereNot({ 'p.state': 'deleted' })
    .where(whereMay(ctx.actor, 'database.read', { owner: 'p.owner_id' }))
    .select<(ProjectView & { cursor_at: number })[]>(ctx.db.raw(`${microseconds('p.created_at')} as cursor_at`));
  newestFirst(query, ['p.created_at', 'p.project_id'], i);
  const most = await maxBytes(ctx.db);
  const page = toPage(
    await query,
    i.limit,
    (row) => presentProject(row, most),
    (row) => [row.cursor_at, row.project_id],
  );
  return { ...page, limit: await setting(ctx.db, 'databases_per_account') };
}

/** @throws NotFound database_not_found */
export async function getDatabase(ctx: Ctx, i: { project_id: string }): Promise<DatabaseProjectDetailOut> {
  const { project_id } = await projectFor(ctx.db, ctx.actor, 'database.read', i.project_id);
  return presentDetail(ctx.db, project_id);
}
