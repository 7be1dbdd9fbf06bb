// Makes a branch on the server. Each step may come twice, and does nothing once the branch is no longer
// pending.
import { MAX_DATABASE_CONNECTIONS } from '#contract/agents/databases.ts';
import { MAIN_BRANCH } from '#contract/wire/database.ts';
import type { DatabaseBranchesRow, DatabaseProjectsRow } from '#db/tables.ts';
import { system } from '../../kernel/act.ts';
import { audit } from '../../kernel/audit.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import type { Fault } from '../../kernel/errors.ts';
import { exclusively, requireDatabaseServer } from './exclusive.ts';
import { noteDatabase } from './events.ts';
import { selectLogins } from './find.ts';
import { passwordOf } from './password.ts';

interface Pending {
  branch: DatabaseBranchesRow;
  project: DatabaseProjectsRow;
}

/** `over`: it was deleted meanwhile, or is decided. */
export type ProvisionStep = 'done' | 'over';

async function pending({ db }: Ctx, branchId: string): Promise<Pending | undefined> {
  const branch = await db('database_branches').where({ branch_id: branchId, state: 'pending' }).first();
  const project = branch && (await db('database_projects').where({ project_id: branch.project_id }).first());
  return branch && project && { branch, project };
}

async function step(ctx: Ctx, branchId: string, work: (of: Pending) => Promise<void>): Promise<ProvisionStep> {
  const pendingBranch = await pending(ctx, branchId);
  if (!pendingBranch) return 'over';
  return exclusively(ctx, pendingBranch.project.project_id, async () => {
    const still = await pending(ctx, branchId);
    if (!still) return 'over';
    await work(still);
    return 'done';
  });
}

export function prepareProject(ctx: Ctx, branchId: string): Promise<ProvisionStep> {
  return step(ctx, branchId, ({ project }) => requireDatabaseServer(ctx).prepareProject(project.server_name));
}

export function makeDatabase(ctx: Ctx, branchId: string): Promise<ProvisionStep> {
  return step(ctx, branchId, async ({ branch, project }) => {
    const parent = branch.parent_branch_id === null ? undefined : await ctx.db('database_branches').where({ branch_id: branch.parent_branch_id }).first();
    if (branch.parent_branch_id !== null && parent?.state !== 'ready') throw new Error('the branch that is to be copied is not ready');
    await requireDatabaseServer(ctx).createDatabase({
      project: project.server_name,
      database: branch.database_name,
      template: parent?.database_name,
      maxConnections: MAX_DATABASE_CONNECTIONS,
    });
  });
}

export function makeLogins(ctx: Ctx, branchId: string): Promise<ProvisionStep> {
  return step(ctx, branchId, async ({ branch, project }) => {
    for (const row of await selectLogins(ctx.db).where({ 'b.branch_id': branchId, 'l.state': 'pending' })) {
      const login = { project: project.server_name, database: branch.database_name, name: row.login, access: row.access };
      await requireDatabaseServer(ctx).putLogin({ ...login, password: await passwordOf(ctx, row), allowance: project.allowance });
    }
  });
}

export async function finishBranch(ctx: Ctx, branchId: string): Promise<ProvisionStep> {
  const { host, port, tls } = requireDatabaseServer(ctx).endpoint;
  return system(ctx, async (ctx) => {
    const at = new Date(ctx.clock());
    const [branch] = await ctx
      .db('database_branches')
      .where({ branch_id: branchId, state: 'pending' })
      .update({ state: 'ready', error: null, updated_at: at })
      .returning('*');
    if (!branch) return 'over';
    await ctx
      .db('database_logins')
      .whereIn('role_id', ctx.db('database_roles').where({ branch_id: branchId }).select('role_id'))
      .where({ state: 'pending' })
      .update({ state: 'current' });
    if (branch.name === MAIN_BRANCH)
      await ctx
        .db('database_projects')
        .where({ project_id: branch.project_id, state: 'pending' })
        .update({ state: 'ready', error: null, host, port, tls, updated_at: at });
    await noteDatabase(ctx.db, ctx.clock(), branch.project_id, { kind: 'branch_ready', branch: branch.name });
    await audit(ctx, 'database.ready', { database: branch.project_id }, { branch: branch.name });
    return 'done';
  });
}

/** What is there of it is dropped with the branch, or used when it is tried again. */
export async function failBranch(ctx: Ctx, branchId: string, error: Fault): Promise<void> {
  await step(ctx, branchId, async ({ branch }) => {
    const parent = branch.parent_branch_id === null ? undefined : await ctx.db('database_branches').where({ branch_id: branch.parent_branch_id }).first();
    // The source takes connections again, also when the copy failed.
    if (parent?.state === 'ready') await requireDatabaseServer(ctx).openDatabase(parent.database_name);
  });
  await system(ctx, async (ctx) => {
    const at = new Date(ctx.clock());
    const [branch] = await ctx
      .db('database_branches')
      .where({ branch_id: branchId, state: 'pending' })
      .update({ state: 'failed', error: JSON.stringify(error), updated_at: at })
      .returning('*');
    if (!branch) return;
    if (branch.name === MAIN_BRANCH)
      await ctx
        .db('database_projects')
        .where({ project_id: branch.project_id, state: 'pending' })
        .update({ state: 'failed', error: JSON.stringify(error), updated_at: at });
    await noteDatabase(ctx.db, ctx.clock(), branch.project_id, { kind: 'branch_failed', branch: branch.name, detail: error.code });
    await audit(ctx, 'database.failed', { database: branch.project_id }, { branch: branch.name, code: error.code });
  });
}
