// A new password for a role: create a second login, replace the agents one by one, then drop the previous
// login.
import type { DatabaseProjectDetailOut } from '#contract/agents/databases.ts';
import type { DatabaseAccess } from '#contract/states.ts';
import type { DatabaseProjectsRow } from '#db/tables.ts';
import { act, recorded, system } from '../../kernel/act.ts';
import { audit } from '../../kernel/audit.ts';
import type { Ctx, TxCtx } from '../../kernel/ctx.ts';
import { Conflict } from '../../kernel/errors.ts';
import { startWorkflow } from '../../outbox/messages.ts';
import { restartAgent } from '../followers.ts';
import { exclusively, requireDatabaseServer } from './exclusive.ts';
import { restartUnlessDeploying } from './bind.ts';
import { noteDatabase } from './events.ts';
import { databasesOf, type LoginView, projectById, requireBranch, requireReady, roleOf, selectLogins } from './find.ts';
import { addLogin } from './open-branch.ts';
import { passwordOf } from './password.ts';
import { presentDatabase } from './present.ts';

/** @throws Conflict database_rotation_under_way, database_not_ready */
export async function rotateDatabaseRole(ctx: Ctx, i: { project_id: string; branch: string; access: DatabaseAccess }): Promise<DatabaseProjectDetailOut> {
  return act(ctx, 'database.rotate', projectById(i.project_id, true), async (ctx, project) => {
    const branch = await requireBranch(ctx.db, project, i.branch);
    requireReady(project, branch);
    const { role_id } = await roleOf(ctx.db, branch.branch_id, i.access);
    if (await ctx.db('database_logins').where({ role_id }).whereNot({ state: 'current' }).first('login_id'))
      throw new Conflict('database_rotation_under_way', `A new password of ${i.access} is being set up: try again when that has ended`);
    await beginRotation(ctx, { ...project, branch: branch.name, access: i.access, role_id });
    return recorded(await presentDatabase(ctx.db, project.project_id));
  });
}

type Rotated = Pick<DatabaseProjectsRow, 'project_id' | 'owner_id' | 'server_name'> & { branch: string; access: DatabaseAccess; role_id: string };

async function beginRotation(ctx: TxCtx, { project_id, owner_id, server_name, branch, access, role_id }: Rotated, reason?: string): Promise<void> {
  const loginId = await addLogin(ctx, role_id, server_name);
  await noteDatabase(ctx.db, ctx.clock(), project_id, { kind: 'role_rotating', branch, detail: access });
  await startWorkflow(ctx, {
    type: 'rotateDatabase',
    workflowId: `database-rotate:${loginId}`,
    taskQueue: 'control',
    args: [{ login_id: loginId }],
    searchAttributes: { SvcKind: 'database', SvcOwner: owner_id },
  });
  await audit(ctx, 'database.rotate', { database: project_id }, { branch, access, ...(reason === undefined ? {} : { reason }) });
}

/**
 * Passwords that the person has seen for that account, and that are used still. Where one is under way
 * already, it ends what was seen before.
 */
export async function rotateRevealed(ctx: TxCtx, of: { organization_id: string; user_id: string }, reason: string): Promise<void> {
  const { rows } = await ctx.db.raw<{ rows: Rotated[] }>(
    `select p.project_id, p.owner_id, p.server_name, b.name as branch, r.access, r.role_id
     from database_projects p join database_branches b using (project_id) join database_roles r using (branch_id)
     where p.owner_id = :organization_id and p.state = 'ready' and b.state = 'ready'
       and exists (select 1 from audit_log a where a.owner_id = p.owner_id and a.actor_id = :user_id and a.action = 'database.reveal'
         and a.target_id = p.project_id and a.details ->> 'branch' = b.name and a.details ->> 'access' = r.access and a.at > r.rotated_at)
       and not exists (select 1 from database_logins l where l.role_id = r.role_id and l.state <> 'current')
     for update of p`,
    of,
  );
  for (const row of rows) await beginRotation(ctx, row, reason);
}

async function loginView({ db }: Ctx, where: Record<string, string>): Promise<LoginView | undefined> {
  return selectLogins(db).where(where).first();
}

/** The new login exists beside the old one. False: its branch is being deleted. */
export async function makeNextLogin(ctx: Ctx, loginId: string): Promise<boolean> {
  const seen = await loginView(ctx, { 'l.login_id': loginId });
  if (!seen) return false;
  return exclusively(ctx, seen.project_id, async () => {
    const row = await loginView(ctx, { 'l.login_id': loginId });
    if (row?.branch_state !== 'ready') return false;
    if (row.state !== 'pending') return true;
    const login = { project: row.server_name, database: row.database_name, name: row.login, access: row.access };
    await requireDatabaseServer(ctx).putLogin({ ...login, password: await passwordOf(ctx, row), allowance: row.allowance });
    return true;
  });
}

/** From now on agents start with the new one. */
export async function switchLogin(ctx: Ctx, loginId: string): Promise<void> {
  // The log has the beginning of a rotation (beginRotation) and its end (dropLastLogin).
  await system(ctx, async (ctx) => {
    const next = await ctx.db('database_logins').where({ login_id: loginId, state: 'pending' }).forUpdate().first();
    if (!next) return;
    await ctx.db('database_logins').where({ role_id: next.role_id, state: 'current' }).update({ state: 'previous' });
    await ctx.db('database_logins').where({ login_id: loginId }).update({ state: 'current' });
    await ctx
      .db('database_roles')
      .where({ role_id: next.role_id })
      // Later than this commit: an agent that read the previous login has started by then.
      .update({ rotated_at: ctx.db.raw(`clock_timestamp() + interval '1 second'`) });
  });
}

/**
 * Replaces agents that were started before the switch; resolves with how many still run with the previous
 * login.
 */
export async function replaceUsers(ctx: Ctx, loginId: string): Promise<number> {
  const row = await loginView(ctx, { 'l.login_id': loginId });
  const role = row && (await ctx.db('database_roles').where({ role_id: row.role_id }).first('rotated_at'));
  if (!row || !role) return 0;
  const users = await ctx
    .db('instances as n')
    .whereIn('n.agent_id', ctx.db('database_bindings').where({ role_id: row.role_id }).select('agent_id'))
    .whereIn('n.state', ['starting', 'serving', 'draining'])
    .where('n.created_at', '<=', role.rotated_at)
    .select('n.agent_id', 'n.state');
  for (const agent_id of new Set(users.filter(({ state }) => state === 'serving').map((one) => one.agent_id))) {
    await system(ctx, async (ctx) => {
      await ctx.db('agents').where({ agent_id }).forUpdate().first('agent_id');
      const stale = await ctx.db('instances').where({ agent_id, state: 'serving' }).where('created_at', '<=', role.rotated_at).first('instance_id');
      if (stale) await restartUnlessDeploying(ctx.db, () => restartAgent(ctx, { user_id: row.owner_id }, agent_id));
    });
  }
  return users.length;
}

export async function dropLastLogin(ctx: Ctx, loginId: string): Promise<void> {
  const current = await loginView(ctx, { 'l.login_id': loginId });
  const last = current && (await loginView(ctx, { 'l.role_id': current.role_id, 'l.state': 'previous' }));
  if (!last) return;
  await exclusively(ctx, last.project_id, async () => {
    await requireDatabaseServer(ctx).dropLogin({ project: last.server_name, name: last.login, databases: await databasesOf(ctx.db, last.project_id) });
  });
  await system(ctx, async (ctx) => {
    if ((await ctx.db('database_logins').where({ login_id: last.login_id, state: 'previous' }).delete()) === 0) return;
    await noteDatabase(ctx.db, ctx.clock(), last.project_id, { kind: 'role_rotated', branch: last.branch, detail: last.access });
    await audit(ctx, 'database.rotated', { database: last.project_id }, { branch: last.branch, access: last.access });
  });
}

/** It could not be made: the previous one stays. */
export async function giveUpRotation(ctx: Ctx, loginId: string): Promise<void> {
  const row = await loginView(ctx, { 'l.login_id': loginId, 'l.state': 'pending' });
  if (!row || row.branch_state !== 'ready') return;
  await exclusively(ctx, row.project_id, async () =>
    requireDatabaseServer(ctx).dropLogin({ project: row.server_name, name: row.login, databases: await databasesOf(ctx.db, row.project_id) }),
  );
  await ctx.db('database_logins').where({ login_id: loginId, state: 'pending' }).delete();
}
