// Finding a database for an actor: another account's answers as if it were not there.
import type { Knex } from 'knex';
import type { DatabaseAccess } from '#contract/states.ts';
import type { DatabaseBranchesRow, DatabaseLoginsRow, DatabaseProjectsRow, DatabaseRolesRow } from '#db/tables.ts';
import type { Actor, Ctx } from '../../kernel/ctx.ts';
import { Conflict, NotFound } from '../../kernel/errors.ts';
import { type Action, whereMay } from '../../kernel/policy.ts';

/** `lock`: changes of a project follow each other. @throws NotFound database_not_found */
export async function projectFor(db: Knex, actor: Actor, action: Action, projectId: string, lock = false): Promise<DatabaseProjectsRow> {
  const query = db('database_projects').where({ project_id: projectId }).whereNot({ state: 'deleted' }).where(whereMay(actor, action)).first();
  const row = await (lock ? query.forUpdate() : query);
  if (!row) throw new NotFound('database_not_found', 'The account has no database of this id: list them with "svc databases list"');
  return row;
}

/** The subject of an action (core/kernel/act.ts): as projectFor, for who acts. */
export function projectById(projectId: string, lock = false) {
  return (ctx: Pick<Ctx, 'db' | 'actor'>, action: Action): Promise<DatabaseProjectsRow> => projectFor(ctx.db, ctx.actor, action, projectId, lock);
}

export async function branchNamed(db: Knex, projectId: string, name: string): Promise<DatabaseBranchesRow | undefined> {
  return db('database_branches').where({ project_id: projectId, name }).whereNot({ state: 'deleted' }).first();
}

/** @throws NotFound database_branch_not_found */
export async function requireBranch(db: Knex, project: Pick<DatabaseProjectsRow, 'project_id' | 'name'>, name: string): Promise<DatabaseBranchesRow> {
  const row = await branchNamed(db, project.project_id, name);
  if (!row) throw new NotFound('database_branch_not_found', `${project.name} has no branch ${name}: see "svc databases get ${project.name}"`);
  return row;
}

export async function roleOf(db: Knex, branchId: string, access: DatabaseAccess): Promise<DatabaseRolesRow> {
  const row = await db('database_roles').where({ branch_id: branchId, access }).first();
  if (!row) throw new Error(`branch ${branchId} has no role ${access}`);
  return row;
}

/** @throws Conflict database_not_ready */
export function requireReady(project: Pick<DatabaseProjectsRow, 'name' | 'state'>, branch: Pick<DatabaseBranchesRow, 'name' | 'state'>): void {
  if (project.state !== 'ready' || branch.state !== 'ready')
    throw new Conflict(
      'database_not_ready',
      `${project.name}, branch ${branch.name}, is ${project.state === 'ready' ? branch.state : project.state}: try again once it is ready`,
    );
}

/** All that have not been deleted, by the name on the server. */
export async function databasesOf(db: Knex, projectId: string): Promise<string[]> {
  return db('database_branches').where({ project_id: projectId }).whereNot({ state: 'deleted' }).orderBy('created_at').pluck('database_name');
}

export interface LoginView extends DatabaseLoginsRow {
  access: DatabaseAccess;
  branch_id: string;
  branch: string;
  branch_state: DatabaseBranchesRow['state'];
  database_name: string;
  project_id: string;
  server_name: string;
  owner_id: string;
  allowance: DatabaseProjectsRow['allowance'];
}

export function selectLogins(db: Knex): Knex.QueryBuilder<object, LoginView[]> {
  return db('database_logins as l')
    .join('database_roles as r', 'r.role_id', 'l.role_id')
    .join('database_branches as b', 'b.branch_id', 'r.branch_id')
    .join('database_projects as p', 'p.project_id', 'b.project_id')
    .select<LoginView[]>(
      'l.*',
      'r.access',
      'b.branch_id',
      'b.name as branch',
      'b.state as branch_state',
      'b.database_name',
      'p.project_id',
      'p.server_name',
      'p.owner_id',
      'p.allowance',
    );
}
