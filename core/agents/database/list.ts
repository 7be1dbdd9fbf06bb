import type { DatabaseProjectDetailOut, DatabaseProjectListOut } from '#contract/agents/databases.ts';
import type { z } from 'zod';
import type { Ctx } from '../../kernel/ctx.ts';
import { newestPage } from '../../kernel/keyset.ts';
import { requireUser, whereMay } from '../../kernel/policy.ts';
import { projectFor } from './find.ts';
import { presentDatabase, presentProject, selectProjects } from './present.ts';
import { databaseLimits, presentQuota } from './quota.ts';

/** Newest first. */
export async function listDatabases(ctx: Ctx, i: { limit: number; cursor?: string | undefined }): Promise<z.infer<typeof DatabaseProjectListOut>> {
  const { user_id } = requireUser(ctx, 'database.read');
  const query = selectProjects(ctx.db)
    .whereNot({ 'p.state': 'deleted' })
    .where(whereMay(ctx.actor, 'database.read', { owner: 'p.owner_id' }));
  const { databaseBytes } = await databaseLimits(ctx.db, user_id);
  const page = await newestPage(query, ['p.created_at', 'p.project_id'], i, (row) => presentProject(row, databaseBytes));
  const quota = await presentQuota(ctx.db, user_id);
  return { ...page, limit: quota.max_databases, quota };
}

/** @throws NotFound database_not_found */
export async function getDatabase(ctx: Ctx, i: { project_id: string }): Promise<DatabaseProjectDetailOut> {
  const { project_id } = await projectFor(ctx.db, ctx.actor, 'database.read', i.project_id);
  return presentDatabase(ctx.db, project_id);
}
