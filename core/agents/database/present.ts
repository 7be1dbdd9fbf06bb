import type { Knex } from 'knex';
import {
  type DatabaseBindingOut,
  type DatabaseBranchOut,
  type DatabaseProjectDetailOut,
  type DatabaseProjectOut,
  MAX_DATABASE_CONNECTIONS,
} from '#contract/agents/databases.ts';
import type { DatabaseAccess } from '#contract/states.ts';
import type { DatabaseBindingsRow, DatabaseBranchesRow, DatabaseProjectsRow } from '#db/tables.ts';
import { storedFault } from '../../kernel/errors.ts';
import { databaseLimits } from './quota.ts';

/** With the sums over its branches. */
export interface ProjectView extends DatabaseProjectsRow {
  size_bytes: number | null;
  connections: number | null;
  measured_at: Date | null;
}

export function selectProjects(db: Knex): Knex.QueryBuilder<object, ProjectView[]> {
  const of = (what: string, as: string): Knex.Raw =>
    db.raw(`(select ${what} from database_branches b where b.project_id = p.project_id and b.state <> 'deleted') as ${as}`);
  return db('database_projects as p').select<ProjectView[]>(
    'p.*',
    of('sum(b.size_bytes)::bigint', 'size_bytes'),
    of('sum(b.connections)::int', 'connections'),
    of('min(b.measured_at)', 'measured_at'),
  );
}

export function presentProject(row: ProjectView, max_bytes: number): DatabaseProjectOut {
  return {
    project_id: row.project_id,
    name: row.name,
    engine: 'postgres',
    state: row.state,
    allowance: row.allowance,
    size_bytes: row.size_bytes ?? 0,
    max_bytes,
    connections: row.connections ?? 0,
    measured_at: row.measured_at?.toISOString() ?? null,
    error: storedFault(row.error),
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  };
}

export async function presentDatabase(db: Knex, projectId: string): Promise<DatabaseProjectDetailOut> {
  const row = await selectProjects(db).where({ 'p.project_id': projectId }).first<ProjectView | undefined>();
  if (!row) throw new Error(`there is no project ${projectId}`);
  const branches = await db('database_branches').where({ project_id: projectId }).whereNot({ state: 'deleted' }).orderBy('created_at').orderBy('branch_id');
  const roles = await rolesOf(db, projectId);
  const names = new Map(branches.map(({ branch_id, name }) => [branch_id, name]));
  return {
    ...presentProject(row, (await databaseLimits(db, row.owner_id)).databaseBytes),
    branches: branches.map((branch) => presentBranch(branch, names.get(branch.parent_branch_id ?? '') ?? null, roles)),
    bindings: (await selectBindings(db).where({ 'b.project_id': projectId }).orderBy('i.created_at').orderBy('i.binding_id')).map(presentBinding),
  };
}

interface RoleView {
  branch_id: string;
  access: DatabaseAccess;
  rotated_at: Date;
  login: string | null;
  rotating: boolean;
}

async function rolesOf(db: Knex, projectId: string): Promise<RoleView[]> {
  const { rows } = await db.raw<{ rows: RoleView[] }>(
    `select r.branch_id, r.access, r.rotated_at, coalesce(c.login, n.login) as login, c.login is not null and (n.login is not null or o.login is not null) as rotating
     from database_roles r join database_branches b using (branch_id)
     left join database_logins c on c.role_id = r.role_id and c.state = 'current'
     left join database_logins n on n.role_id = r.role_id and n.state = 'pending'
     left join database_logins o on o.role_id = r.role_id and o.state = 'previous'
     where b.project_id = :projectId order by r.access desc`,
    { projectId },
  );
  return rows;
}

function presentBranch(row: DatabaseBranchesRow, parent: string | null, roles: readonly RoleView[]): DatabaseBranchOut {
  return {
    name: row.name,
    parent,
    state: row.state,
    database_name: row.database_name,
    size_bytes: row.size_bytes,
    connections: row.connections,
    max_connections: MAX_DATABASE_CONNECTIONS,
    error: storedFault(row.error),
    roles: roles
      .filter(({ branch_id }) => branch_id === row.branch_id)
      .map(({ access, login, rotating, rotated_at }) => ({ access, login: login ?? '', rotating, rotated_at: rotated_at.toISOString() })),
    created_at: row.created_at.toISOString(),
  };
}

export interface BindingView extends DatabaseBindingsRow {
  agent: string;
  branch: string;
  access: DatabaseAccess;
}

export function selectBindings(db: Knex): Knex.QueryBuilder<object, BindingView[]> {
  return db('database_bindings as i')
    .join('database_roles as r', 'r.role_id', 'i.role_id')
    .join('database_branches as b', 'b.branch_id', 'r.branch_id')
    .join('agents as a', 'a.agent_id', 'i.agent_id')
    .select<BindingView[]>('i.*', 'a.name as agent', 'b.name as branch', 'r.access');
}

export function presentBinding(row: BindingView): DatabaseBindingOut {
  const { binding_id, agent, branch, access, variable, declared, created_at } = row;
  return { binding_id, agent, branch, access, variable, declared, created_at: created_at.toISOString() };
}
