import type { DatabaseProjectDetailOut } from '#contract/agents/databases.ts';
import { MAIN_BRANCH } from '#contract/wire/database.ts';
import type { DatabaseProjectsRow } from '#db/tables.ts';
import { act, done } from '../../kernel/act.ts';
import type { Ctx, TxCtx } from '../../kernel/ctx.ts';
import { Conflict } from '../../kernel/errors.ts';
import { newId } from '../../kernel/ids.ts';
import { requireUser } from '../../kernel/policy.ts';
import { branchNamed } from './find.ts';
import { newServerName } from './names.ts';
import { openBranch, reopenBranch, requireServed } from './open-branch.ts';
import { presentDatabase } from './present.ts';
import { holdDatabases, requireDatabaseRoom } from './quota.ts';

/** One that failed is tried again. @throws Conflict database_exists, and as openProject */
export async function createDatabase(ctx: Ctx, i: { name: string }): Promise<DatabaseProjectDetailOut> {
  return act(ctx, 'database.create', requireUser, async (ctx, { user_id }) => {
    const { project, isNew } = await openProject(ctx, { ownerId: user_id, name: i.name });
    if (!isNew && project.state !== 'failed') throw new Conflict('database_exists', `There is a database ${i.name} already: use it, or choose another name`);
    if (!isNew) await reopenProject(ctx, project);
    return done({ database: project.project_id }, { name: i.name, again: !isNew }, await presentDatabase(ctx.db, project.project_id));
  });
}

/**
 * The account's database of that name, made where there is none; its row is held. @throws Conflict
 * databases_not_served, database_limit, database_branch_limit, database_size_limit
 */
export async function openProject(ctx: TxCtx, { ownerId, name }: { ownerId: string; name: string }): Promise<{ project: DatabaseProjectsRow; isNew: boolean }> {
  await requireServed(ctx.db);
  await holdDatabases(ctx.db, ownerId);
  const known = await ctx.db('database_projects').where({ owner_id: ownerId, name }).whereNot({ state: 'deleted' }).forUpdate().first();
  if (known) return { project: known, isNew: false };
  await requireDatabaseRoom(ctx.db, ownerId, { databases: 1, branches: 1, bytes: 0 });
  const at = new Date(ctx.clock());
  const [project] = await ctx
    .db('database_projects')
    .insert({ project_id: newId('dbp', ctx.clock()), owner_id: ownerId, name, state: 'pending', server_name: newServerName(), created_at: at, updated_at: at })
    .returning('*');
  if (!project) throw new Error('the database was not stored');
  await openBranch(ctx, project, { name: MAIN_BRANCH });
  return { project, isNew: true };
}

/** The caller holds the row of a project that failed. */
export async function reopenProject(ctx: TxCtx, project: DatabaseProjectsRow): Promise<void> {
  await ctx
    .db('database_projects')
    .where({ project_id: project.project_id, state: 'failed' })
    .update({ state: 'pending', error: null, updated_at: new Date(ctx.clock()) });
  const main = await branchNamed(ctx.db, project.project_id, MAIN_BRANCH);
  if (main) await reopenBranch(ctx, project, main);
}
