// The provisioner's rounds: it says that it reaches the server, measures what accounts have there, and holds
// them to it.
import { MAX_DATABASE_CONNECTIONS } from '#contract/agents/databases.ts';
import { DATABASE_ALLOWANCES, type DatabaseAllowance } from '#contract/states.ts';
import { system } from '../../kernel/act.ts';
import { audit } from '../../kernel/audit.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { exclusively } from './exclusive.ts';
import { noteDatabase } from './events.ts';
import { databasesOf, selectLogins } from './find.ts';
import { databaseLimits, databaseUsage } from './quota.ts';

/** Why, without what a message of the server may carry. */
function reasonOf(error: unknown): string {
  const code = typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : 'unknown';
  return `The server for databases was not reached (${code.slice(0, 40)})`;
}

export async function tendServer(ctx: Ctx, node: string): Promise<void> {
  const server = ctx.drivers.databases;
  if (!server) return;
  const { host, port, tls } = server.endpoint;
  const note = (found: { server_version?: string; heartbeat_at?: Date; error: string | null }): Promise<unknown> => {
    const row = { node, host, port, tls, updated_at: new Date(ctx.clock()), ...found };
    return ctx.db('database_provisioners').insert(row).onConflict('node').merge();
  };
  try {
    const server_version = await server.tend();
    await server.endLong();
    await note({ server_version, heartbeat_at: new Date(ctx.clock()), error: null });
  } catch (error) {
    await note({ error: reasonOf(error) });
    throw error;
  }
}

export async function measureDatabases(ctx: Ctx): Promise<void> {
  const server = ctx.drivers.databases;
  if (!server) return;
  const branches = await ctx.db('database_branches').where({ state: 'ready' }).select('branch_id', 'project_id', 'database_name', 'size_bytes', 'connections');
  if (branches.length === 0) return;
  const measured = await server.measure(branches.map(({ database_name }) => database_name));
  const sizes = new Map<string, number>();
  for (const { branch_id, project_id, database_name } of branches) {
    const measurement = measured.get(database_name);
    if (!measurement) continue;
    await ctx
      .db('database_branches')
      .where({ branch_id, state: 'ready' })
      .update({ ...measurement, measured_at: new Date(ctx.clock()) });
    sizes.set(project_id, (sizes.get(project_id) ?? 0) + measurement.size_bytes);
  }
  const projects = await ctx
    .db('database_projects')
    .where({ state: 'ready' })
    .whereIn('project_id', [...sizes.keys()])
    .select('project_id', 'owner_id', 'allowance');
  for (const ownerId of new Set(projects.map(({ owner_id }) => owner_id))) {
    const [used, most] = [await databaseUsage(ctx.db, ownerId), await databaseLimits(ctx.db, ownerId)];
    for (const { project_id, allowance: now } of projects.filter(({ owner_id }) => owner_id === ownerId)) {
      const size = sizes.get(project_id) ?? 0;
      const allowance = stricter(allowanceFor(size, most.databaseBytes, now), allowanceFor(used.bytes, most.bytes, now));
      if (allowance !== now) await changeAllowance(ctx, project_id, now, allowance);
    }
  }
}

function stricter(one: DatabaseAllowance, other: DatabaseAllowance): DatabaseAllowance {
  return DATABASE_ALLOWANCES[Math.max(DATABASE_ALLOWANCES.indexOf(one), DATABASE_ALLOWANCES.indexOf(other))] ?? one;
}

/**
 * A function that runs with its owner's rights still writes after the first bound: the second holds that,
 * too. Given back with a little room, so that it does not change with every row.
 */
export function allowanceFor(size: number, most: number, now: DatabaseAllowance): DatabaseAllowance {
  if (size > most * 1.25) return 'closed';
  if (size > most) return 'delete_only';
  return now !== 'full' && size > most * 0.95 ? 'delete_only' : 'full';
}

async function changeAllowance(ctx: Ctx, projectId: string, from: DatabaseAllowance, to: DatabaseAllowance): Promise<void> {
  await exclusively(ctx, projectId, async () => {
    const rows = await selectLogins(ctx.db)
      .where({ 'p.project_id': projectId, 'p.allowance': from, 'b.state': 'ready' })
      .whereIn('l.state', ['current', 'previous']);
    const logins = rows.map((row) => ({ project: row.server_name, database: row.database_name, name: row.login, access: row.access }));
    await ctx.drivers.databases?.allow({ databases: await databasesOf(ctx.db, projectId), logins, allowance: to, maxConnections: MAX_DATABASE_CONNECTIONS });
    await system(ctx, async (ctx) => {
      const moved = await ctx
        .db('database_projects')
        .where({ project_id: projectId, allowance: from })
        .update({ allowance: to, updated_at: new Date(ctx.clock()) });
      if (moved === 0) return;
      await noteDatabase(ctx.db, ctx.clock(), projectId, { kind: 'allowance_changed', detail: to });
      await audit(ctx, 'database.allowance', { database: projectId }, { from, to });
    });
  });
}
