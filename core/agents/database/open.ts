// The databases of an agent, for the host that starts it: URLs that open inside its machine, and what its
// proxy lets through.
import { setTimeout as sleep } from 'node:timers/promises';
import { DATABASE_PORT } from '#contract/wire/database.ts';
import type { BoundDatabase } from '#drivers/runtime/port.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { DeploymentFault } from '../agent/deployment-fault.ts';
import { selectLogins } from './find.ts';
import { databaseUrl, passwordOf } from './password.ts';

export interface OpenedDatabases {
  /** URLs by variable. */
  urls: Record<string, string>;
  /** Only for the egress proxy. */
  databases: BoundDatabase[];
}

const WAIT_MS = 180_000;

/**
 * Waits until all that it is bound to is ready. @throws DeploymentFault database_failed, database_not_ready
 */
export async function awaitDatabases({ db }: Pick<Ctx, 'db'>, agentId: string, signal: AbortSignal): Promise<void> {
  const until = performance.now() + WAIT_MS;
  for (;;) {
    const rows = await db('database_bindings as i')
      .join('database_roles as r', 'r.role_id', 'i.role_id')
      .join('database_branches as b', 'b.branch_id', 'r.branch_id')
      .join('database_projects as p', 'p.project_id', 'b.project_id')
      .where({ 'i.agent_id': agentId })
      .whereNot({ 'b.state': 'ready' })
      .select<{ name: string; branch: string; state: string }[]>('p.name', 'b.name as branch', 'b.state');
    const [first] = rows;
    if (!first) return;
    const failed = rows.find(({ state }) => state !== 'pending');
    if (failed)
      throw new DeploymentFault(
        'database_failed',
        `The database ${failed.name}, branch ${failed.branch}, is ${failed.state}: see "svc databases get ${failed.name}", then deploy again`,
      );
    if (performance.now() > until)
      throw new DeploymentFault(
        'database_failed',
        `The database ${first.name}, branch ${first.branch}, was not ready in time: see "svc databases status", then deploy again`,
      );
    await sleep(500, undefined, { signal });
  }
}

export async function openDatabases(ctx: Pick<Ctx, 'db' | 'drivers'>, agentId: string): Promise<OpenedDatabases> {
  const rows = await selectLogins(ctx.db)
    .join('database_bindings as i', 'i.role_id', 'r.role_id')
    .where({ 'i.agent_id': agentId, 'l.state': 'current', 'b.state': 'ready', 'p.state': 'ready' })
    .select('i.variable', 'p.host', 'p.port', 'p.tls')
    .orderBy('i.variable');
  const opened: OpenedDatabases = { urls: {}, databases: [] };
  for (const row of rows as (Awaited<ReturnType<typeof selectLogins>>[number] & {
    variable: string;
    host: string | null;
    port: number | null;
    tls: boolean | null;
  })[]) {
    if (row.host === null || row.port === null) continue;
    const { login, database_name: database } = row;
    opened.urls[row.variable] = databaseUrl({ login, password: await passwordOf(ctx, row), host: '127.0.0.1', port: DATABASE_PORT, database });
    opened.databases.push({ host: row.host, port: row.port, tls: row.tls === true, database, user: login });
  }
  return opened;
}
