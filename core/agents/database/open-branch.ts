// A branch begins as rows with the passwords of its roles, and the workflow that makes it.
import type { Knex } from 'knex';
import { DATABASE_ACCESSES } from '#contract/states.ts';
import type { DatabaseBranchesRow, DatabaseProjectsRow } from '#db/tables.ts';
import type { TxCtx } from '../../kernel/ctx.ts';
import { Conflict } from '../../kernel/errors.ts';
import { newId } from '../../kernel/ids.ts';
import { startWorkflow } from '../../outbox/messages.ts';
import { noteDatabase } from './events.ts';
import { newDatabaseName, newLoginName } from './names.ts';
import { newPassword } from './password.ts';

/** @throws Conflict databases_not_served */
export async function requireServed(db: Knex): Promise<void> {
  if (!(await isServed(db)))
    throw new Conflict('databases_not_served', 'This installation has no server for databases: ask its operators to set SVC_DATABASES_URL for the worker');
}

/** A worker has named a server. */
export async function isServed(db: Knex): Promise<boolean> {
  return (await db('database_provisioners').whereNotNull('heartbeat_at').first('node')) !== undefined;
}

type Project = Pick<DatabaseProjectsRow, 'project_id' | 'server_name' | 'owner_id'>;

/** The caller holds the project's row, or has just made it. `parent`: what it is a copy of. */
export async function openBranch(
  ctx: TxCtx,
  project: Project,
  i: { name: string; parent?: Pick<DatabaseBranchesRow, 'branch_id' | 'size_bytes'> },
): Promise<DatabaseBranchesRow> {
  const at = new Date(ctx.clock());
  const branch_id = newId('dbb', ctx.clock());
  const [row] = await ctx
    .db('database_branches')
    .insert({
      branch_id,
      project_id: project.project_id,
      name: i.name,
      parent_branch_id: i.parent?.branch_id ?? null,
      size_bytes: i.parent?.size_bytes ?? 0,
      database_name: newDatabaseName(project.server_name),
      state: 'pending',
      created_at: at,
      updated_at: at,
    })
    .returning('*');
  if (!row) throw new Error('the branch was not stored');
  for (const access of DATABASE_ACCESSES) {
    const role_id = newId('dbr', ctx.clock());
    await ctx.db('database_roles').insert({ role_id, branch_id, access, rotated_at: at });
    await addLogin(ctx, role_id, project.server_name);
  }
  await noteDatabase(ctx.db, ctx.clock(), project.project_id, { kind: 'branch_pending', branch: row.name });
  await startProvisioning(ctx, row, project);
  return row;
}

/** A password that no server knows yet. */
export async function addLogin(ctx: TxCtx, roleId: string, serverName: string): Promise<string> {
  const login_id = newId('dbl', ctx.clock());
  await ctx.db('database_logins').insert({
    login_id,
    role_id: roleId,
    login: newLoginName(serverName),
    state: 'pending',
    password_sealed: await newPassword(ctx, login_id),
    created_at: new Date(ctx.clock()),
  });
  return login_id;
}

/** Of a branch that failed: once more. */
export async function reopenBranch(ctx: TxCtx, project: Project, branch: DatabaseBranchesRow): Promise<void> {
  const [row] = await ctx
    .db('database_branches')
    .where({ branch_id: branch.branch_id, state: 'failed' })
    .update({ state: 'pending', error: null, updated_at: new Date(ctx.clock()) })
    .returning('*');
  if (!row) return;
  await noteDatabase(ctx.db, ctx.clock(), project.project_id, { kind: 'branch_pending', branch: row.name });
  await startProvisioning(ctx, row, project);
}

async function startProvisioning(ctx: TxCtx, row: DatabaseBranchesRow, { owner_id }: Project): Promise<void> {
  await startWorkflow(ctx, {
    type: 'provisionDatabase',
    workflowId: `database:${row.branch_id}:${row.updated_at.getTime()}`,
    taskQueue: 'control',
    args: [{ branch_id: row.branch_id }],
    searchAttributes: { SvcKind: 'database', SvcOwner: owner_id },
  });
}
