// What an account may have of databases, by its plan, else by the settings of the installation; and what it
// has.
import type { Knex } from 'knex';
import type { DatabaseQuotaOut } from '#contract/agents/databases.ts';
import type { SettingName } from '#contract/platform/settings.ts';
import { Conflict } from '../../kernel/errors.ts';
import { limitsOf, planOf } from '../../accounts/plan.ts';
import { setting } from '../../kernel/settings.ts';

const MIB = 1_048_576;

export interface DatabaseLimits {
  databases: number;
  /** Of all databases together. */
  branches: number;
  /** Of one database with its branches. */
  databaseBytes: number;
  /** Of all databases together. */
  bytes: number;
}

export async function databaseLimits(db: Knex, ownerId: string): Promise<DatabaseLimits> {
  const limits = limitsOf((await planOf(db, ownerId)).plan);
  const limit = async (name: SettingName): Promise<number> => limits[name] ?? setting(db, name);
  return {
    databases: await limit('databases_per_account'),
    branches: await limit('database_branches_per_account'),
    databaseBytes: (await limit('database_mib')) * MIB,
    bytes: (await limit('database_mib_per_account')) * MIB,
  };
}

interface Usage {
  databases: number;
  branches: number;
  /** As last measured; of a branch that is being copied, what it is copied from. */
  bytes: number;
}

export async function databaseUsage(db: Knex, ownerId: string): Promise<Usage> {
  const { rows } = await db.raw<{ rows: { databases: string; branches: string; bytes: string }[] }>(
    `select count(distinct p.project_id) as databases, count(b.branch_id) as branches, coalesce(sum(b.size_bytes), 0) as bytes
     from database_projects p left join database_branches b on b.project_id = p.project_id and b.state <> 'deleted'
     where p.owner_id = ? and p.state <> 'deleted'`,
    [ownerId],
  );
  const [found] = rows;
  return { databases: Number(found?.databases ?? 0), branches: Number(found?.branches ?? 0), bytes: Number(found?.bytes ?? 0) };
}

export async function presentQuota(db: Knex, ownerId: string): Promise<DatabaseQuotaOut> {
  const [used, most] = [await databaseUsage(db, ownerId), await databaseLimits(db, ownerId)];
  return {
    databases: used.databases,
    max_databases: most.databases,
    branches: used.branches,
    max_branches: most.branches,
    size_bytes: used.bytes,
    max_bytes: most.bytes,
  };
}

/**
 * What an account adds is counted one after the other: before any of its databases is locked, since the
 * account's row is always the first.
 */
export async function holdDatabases(tx: Knex.Transaction, ownerId: string): Promise<void> {
  await tx('users').where({ user_id: ownerId }).forUpdate().first('user_id');
}

interface Added {
  databases: number;
  branches: number;
  /** Of what is copied. */
  bytes: number;
}

/**
 * The caller holds the account. @throws Conflict database_limit, database_branch_limit, database_size_limit
 */
export async function requireDatabaseRoom(tx: Knex.Transaction, ownerId: string, adds: Added): Promise<void> {
  const [used, most] = [await databaseUsage(tx, ownerId), await databaseLimits(tx, ownerId)];
  const more = 'or take a plan with more, or ask the operators';
  if (adds.databases > 0 && used.databases + adds.databases > most.databases)
    throw new Conflict('database_limit', `Database limit reached (${used.databases} of ${most.databases}): delete one, ${more}`);
  if (used.branches + adds.branches > most.branches)
    throw new Conflict(
      'database_branch_limit',
      `Branch limit reached (${used.branches} of ${most.branches} in all databases, "main" of each included): delete one, ${more}`,
    );
  if (used.bytes + adds.bytes > most.bytes || used.bytes >= most.bytes)
    throw new Conflict(
      'database_size_limit',
      `The databases of the account take ${mib(used.bytes)} of ${mib(most.bytes)} that they may take${adds.bytes > 0 ? `, and the copy would take ${mib(adds.bytes)}` : ''}: delete rows or a branch, ${more}`,
    );
}

/** A copy has to fit into its database, too. @throws Conflict database_size_limit */
export async function requireRoomInside(tx: Knex.Transaction, project: { project_id: string; owner_id: string; name: string }, bytes: number): Promise<void> {
  const { databaseBytes } = await databaseLimits(tx, project.owner_id);
  const [sum] = await tx('database_branches')
    .where({ project_id: project.project_id })
    .whereNot({ state: 'deleted' })
    .sum<{ bytes: number | string | null }[]>('size_bytes as bytes');
  const used = Number(sum?.bytes ?? 0);
  if (used + bytes > databaseBytes)
    throw new Conflict(
      'database_size_limit',
      `${project.name} takes ${mib(used)} of ${mib(databaseBytes)} that it may take with its branches, and the copy would take ${mib(bytes)}: delete rows or a branch first`,
    );
}

function mib(bytes: number): string {
  return `${Math.ceil(bytes / MIB)} MiB`;
}
