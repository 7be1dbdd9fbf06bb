import { type DatabaseProjectDetailOut, MAX_DATABASE_BRANCHES } from '#contract/agents/databases.ts';
import { act, done } from '../../kernel/act.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { Conflict } from '../../kernel/errors.ts';
import { branchNamed, projectById, projectFor, requireBranch, requireReady } from './find.ts';
import { openBranch, reopenBranch, requireServed } from './open-branch.ts';
import { presentDatabase } from './present.ts';
import { holdDatabases, requireDatabaseRoom, requireRoomInside } from './quota.ts';

/**
 * One that failed is tried again. Until it is measured it counts with the size of what it is copied from.
 * @throws Conflict database_branch_exists, database_branch_limit, database_size_limit, database_not_ready
 */
export async function createDatabaseBranch(ctx: Ctx, i: { project_id: string; name: string; from: string }): Promise<DatabaseProjectDetailOut> {
  return act(ctx, 'database.branch', projectById(i.project_id), async (ctx, { owner_id }) => {
    await holdDatabases(ctx.db, owner_id);
    const project = await projectFor(ctx.db, ctx.actor, 'database.branch', i.project_id, true);
    await requireServed(ctx.db);
    const parent = await requireBranch(ctx.db, project, i.from);
    const known = await branchNamed(ctx.db, project.project_id, i.name);
    if (known && known.state !== 'failed')
      throw new Conflict('database_branch_exists', `${project.name} has a branch ${i.name} already: use it, or choose another name`);
    requireReady(project, parent);
    if (project.allowance !== 'full')
      throw new Conflict('database_not_ready', `${project.name} takes more room than it may: delete rows or a branch before you copy one`);
    if (known) await reopenBranch(ctx, project, known);
    else {
      const [counted] = await ctx
        .db('database_branches')
        .where({ project_id: project.project_id })
        .whereNot({ state: 'deleted' })
        .count<{ count: number }[]>('* as count');
      if (Number(counted?.count ?? 0) >= MAX_DATABASE_BRANCHES)
        throw new Conflict('database_branch_limit', `${project.name} has ${MAX_DATABASE_BRANCHES} branches, the most that are allowed: delete one first`);
      await requireRoomInside(ctx.db, project, parent.size_bytes);
      await requireDatabaseRoom(ctx.db, owner_id, { databases: 0, branches: 1, bytes: parent.size_bytes });
      await openBranch(ctx, project, { name: i.name, parent });
    }
    return done({ database: project.project_id }, { branch: i.name, from: i.from }, await presentDatabase(ctx.db, project.project_id));
  });
}
