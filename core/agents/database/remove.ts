// A database ends by its owner's word: its rows say so at once, and a workflow drops it.
import type { Knex } from 'knex';
import { MAIN_BRANCH } from '#contract/wire/database.ts';
import type { DatabaseBranchesRow, DatabaseProjectsRow } from '#db/tables.ts';
import { act, done, unchanged } from '../../kernel/act.ts';
import type { Ctx, TxCtx } from '../../kernel/ctx.ts';
import { Conflict } from '../../kernel/errors.ts';
import { startWorkflow } from '../../outbox/messages.ts';
import { noteDatabase } from './events.ts';
import { projectById, requireBranch } from './find.ts';
import { selectBindings } from './present.ts';

/** Twice is once. @throws Conflict database_in_use */
export async function removeDatabase(ctx: Ctx, i: { project_id: string; force: boolean }): Promise<void> {
  await act(ctx, 'database.delete', projectById(i.project_id, true), async (ctx, project) => {
    if (project.state === 'deleting') return unchanged(undefined);
    await releaseBindings(ctx.db, ctx.clock(), project, i.force);
    const at = new Date(ctx.clock());
    await ctx.db('database_projects').where({ project_id: project.project_id }).update({ state: 'deleting', updated_at: at });
    await ctx
      .db('database_branches')
      .where({ project_id: project.project_id })
      .whereNotIn('state', ['deleting', 'deleted'])
      .update({ state: 'deleting', updated_at: at });
    await noteDatabase(ctx.db, ctx.clock(), project.project_id, { kind: 'project_deleting' });
    await startDropping(ctx, project, `database-drop:${project.project_id}`, null);
    return done({ database: project.project_id }, { name: project.name, force: i.force });
  });
}

/** Twice is once. @throws Conflict database_in_use; NotFound database_branch_not_found */
export async function removeDatabaseBranch(ctx: Ctx, i: { project_id: string; branch: string; force: boolean }): Promise<void> {
  await act(ctx, 'database.delete', projectById(i.project_id, true), async (ctx, project) => {
    const branch = await requireBranch(ctx.db, project, i.branch);
    if (branch.state === 'deleting') return unchanged(undefined);
    if (branch.name === MAIN_BRANCH)
      throw new Conflict('database_in_use', `${MAIN_BRANCH} is deleted only with its database: svc databases delete ${project.name}`);
    await releaseBindings(ctx.db, ctx.clock(), project, i.force, branch);
    await ctx
      .db('database_branches')
      .where({ branch_id: branch.branch_id })
      .update({ state: 'deleting', updated_at: new Date(ctx.clock()) });
    await noteDatabase(ctx.db, ctx.clock(), project.project_id, { kind: 'branch_deleting', branch: branch.name });
    await startDropping(ctx, project, `database-drop:${branch.branch_id}`, branch.branch_id);
    return done({ database: project.project_id }, { name: project.name, branch: branch.name, force: i.force });
  });
}

async function releaseBindings(tx: Knex.Transaction, now: number, project: DatabaseProjectsRow, force: boolean, branch?: DatabaseBranchesRow): Promise<void> {
  const bound = await selectBindings(tx)
    .where({ 'b.project_id': project.project_id, ...(branch && { 'b.branch_id': branch.branch_id }) })
    .whereNull('a.deleted_at');
  if (bound.length > 0 && !force) {
    const names = [...new Set(bound.map(({ agent }) => agent))].slice(0, 5).join(', ');
    throw new Conflict('database_in_use', `${project.name} is bound to ${names}: unbind first, or delete with force, and the agents lose it`);
  }
  for (const { binding_id, agent, variable, branch: from } of bound) {
    await tx('database_bindings').where({ binding_id }).delete();
    await noteDatabase(tx, now, project.project_id, { kind: 'unbound', branch: from, agent, detail: variable });
  }
  // Of agents that are gone.
  const roles = tx('database_roles as r')
    .join('database_branches as b', 'b.branch_id', 'r.branch_id')
    .where({ 'b.project_id': project.project_id, ...(branch && { 'b.branch_id': branch.branch_id }) })
    .select('r.role_id');
  await tx('database_bindings').whereIn('role_id', roles).delete();
}

async function startDropping(ctx: TxCtx, project: DatabaseProjectsRow, workflowId: string, branch_id: string | null): Promise<void> {
  await startWorkflow(ctx, {
    type: 'dropDatabase',
    workflowId,
    taskQueue: 'control',
    args: [{ project_id: project.project_id, branch_id }],
    searchAttributes: { SvcKind: 'database', SvcOwner: project.owner_id },
  });
}
