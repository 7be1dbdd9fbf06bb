// A database that is ready, with a branch beside main and an agent that is bound to it.
import { createDatabaseBranch } from '#core/agents/database/branch.ts';
import { createDatabase } from '#core/agents/database/create.ts';
import { newId } from '#core/kernel/ids.ts';
import type { AreaRecords, Owner } from './area.ts';

export async function databaseRecords(owner: Owner): Promise<AreaRecords> {
  const { ctx } = owner;
  const { db } = ctx;
  const server = { host: '127.0.0.1', port: 5432, tls: false };
  const now = new Date();
  await db('database_provisioners')
    .insert({ node: 'test', ...server, server_version: '18', heartbeat_at: now, error: null, updated_at: now })
    .onConflict('node')
    .merge();
  const { project_id } = await createDatabase(ctx, { name: 'orders' });
  await makeReady(owner, project_id);
  await createDatabaseBranch(ctx, { project_id, name: 'preview', from: 'main' });
  await makeReady(owner, project_id);
  const role = await db('database_roles as r')
    .join('database_branches as b', 'b.branch_id', 'r.branch_id')
    .where({ 'b.project_id': project_id, 'b.name': 'main', 'r.access': 'read_only' })
    .first('r.role_id');
  const binding_id = newId('dbi');
  await db('database_bindings').insert({
    binding_id,
    role_id: role?.role_id ?? '',
    agent_id: owner.agent.id,
    variable: 'ORDERS_URL',
    declared: false,
    created_at: now,
  });
  const ready = async (name: string): Promise<string> => {
    const made = await createDatabase(ctx, { name });
    await makeReady(owner, made.project_id);
    return made.project_id;
  };
  return {
    params: {
      project_id,
      binding_id,
      branch: 'preview',
      'databases.remove.project_id': await ready('over'),
      'databases.createBranch.project_id': await ready('branched'),
    },
    calls: {
      'databases.create': { body: { name: 'another' } },
      'databases.bind': { body: { agent: owner.agent.name, access: 'read_write', variable: 'MORE_URL', restart: false } },
      'databases.rotate': { body: { access: 'read_only' } },
    },
  };
}

/** As its workflow does, without a server. */
async function makeReady({ ctx: { db } }: Owner, project_id: string): Promise<void> {
  const branches = db('database_branches').where({ project_id }).select('branch_id');
  await db('database_branches').where({ project_id, state: 'pending' }).update({ state: 'ready' });
  await db('database_logins').whereIn('role_id', db('database_roles').whereIn('branch_id', branches).select('role_id')).update({ state: 'current' });
  await db('database_projects').where({ project_id }).update({ state: 'ready', host: '127.0.0.1', port: 5432, tls: false });
}
