import type { DatabaseProjectDetailOut, DatabaseProjectListOut } from '#contract/agents/databases.ts';
import type { z } from 'zod';
import type { Ctx } from '../../kernel/ctx.ts';
import { instantOf, microseconds } from '../../kernel/keyset.ts';
import { decodeCursor, toPage } from '../../kernel/page.ts';
import { whereMay } from '../../kernel/policy.ts';
import { setting } from '../../kernel/settings.ts';
import { projectFor } from './find.ts';
import { maxBytes, presentDetail, presentProject, type ProjectView, selectProjects } from './present.ts';

/** Newest first. */
export async function listDatabases(ctx: Ctx, i: { limit: number; cursor?: string | undefined }): Promise<z.infer<typeof DatabaseProjectListOut>> {
  const query = selectProjects(ctx.db)
    .whereNot({ 'p.state': 'deleted' })
    .where(whereMay(ctx.actor, 'database.read', { owner: 'p.owner_id' }))
    .select<(ProjectView & { cursor_at: number })[]>(ctx.db.raw(`${microseconds('p.created_at')} as cursor_at`))
    .orderBy([
      { column: 'p.created_at', order: 'desc' },
      { column: 'p.project_id', order: 'desc' },
    ])
    .limit(i.limit + 1);
  if (i.cursor !== undefined) {
    const [at, id] = decodeCursor(i.cursor, ['number', 'string']);
    void query.whereRaw(`(p.created_at, p.project_id) < (${instantOf('at')}, :id)`, { at, id });
  }
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
