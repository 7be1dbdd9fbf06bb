// Drops on the server what was deleted. Each step may come twice.
import { system } from '../../kernel/act.ts';
import { audit } from '../../kernel/audit.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { exclusively, requireDatabaseServer } from './exclusive.ts';
import { noteDatabase } from './events.ts';
import { databasesOf, selectLogins } from './find.ts';

/**
 * Branches that are to be dropped: that one, or all of the project, copies before what they were copied from.
 */
export async function branchesToDrop({ db }: Ctx, i: { project_id: string; branch_id: string | null }): Promise<string[]> {
  return db('database_branches')
    .where({ project_id: i.project_id, state: 'deleting', ...(i.branch_id !== null && { branch_id: i.branch_id }) })
    .orderBy('created_at', 'desc')
    .pluck('branch_id');
}

export async function dropBranch(ctx: Ctx, branchId: string): Promise<void> {
  const branch = await ctx
    .db('database_branches as b')
    .join('database_projects as p', 'p.project_id', 'b.project_id')
    .where({ 'b.branch_id': branchId, 'b.state': 'deleting' })
    .first('b.project_id', 'b.name', 'b.database_name', 'p.server_name');
  if (!branch) return;
  const server = requireDatabaseServer(ctx);
  await exclusively(ctx, branch.project_id, async () => {
    await server.closeDatabase(branch.database_name);
    await server.dropDatabase(branch.database_name);
    // A copy of the branch may have what its logins made.
    const databases = await databasesOf(ctx.db, branch.project_id);
    for (const { login } of await selectLogins(ctx.db).where({ 'b.branch_id': branchId }))
      await server.dropLogin({ project: branch.server_name, name: login, databases });
  });
  await system(ctx, async (ctx) => {
    const moved = await ctx
      .db('database_branches')
      .where({ branch_id: branchId, state: 'deleting' })
      .update({ state: 'deleted', size_bytes: 0, connections: 0, updated_at: new Date(ctx.clock()) });
    if (moved === 0) return;
    await ctx
      .db('database_logins')
      .whereIn('role_id', ctx.db('database_roles').where({ branch_id: branchId }).select('role_id'))
      .delete();
    await noteDatabase(ctx.db, ctx.clock(), branch.project_id, { kind: 'branch_deleted', branch: branch.name });
    await audit(ctx, 'database.deleted', { database: branch.project_id }, { branch: branch.name });
  });
}

/** After its branches. */
export async function dropProject(ctx: Ctx, projectId: string): Promise<void> {
  const project = await ctx.db('database_projects').where({ project_id: projectId, state: 'deleting' }).first();
  if (!project) return;
  await exclusively(ctx, projectId, () => requireDatabaseServer(ctx).dropProject(project.server_name));
  await system(ctx, async (ctx) => {
    const moved = await ctx
      .db('database_projects')
      .where({ project_id: projectId, state: 'deleting' })
      .update({ state: 'deleted', updated_at: new Date(ctx.clock()) });
    if (moved === 0) return;
    await noteDatabase(ctx.db, ctx.clock(), projectId, { kind: 'project_deleted' });
    await audit(ctx, 'database.deleted', { database: projectId }, { name: project.name });
  });
}
