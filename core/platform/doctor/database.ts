import type { Knex } from 'knex';
import type { Vault } from '#drivers/vault/port.ts';
import type { Finding } from '#contract/platform/doctor.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { pendingMigrations } from '../migrations.ts';
import { checkOwnKey, unreadableValue, WrongKey } from '../installation/key.ts';
import { reasonOf, reporter } from './finding.ts';

const database = reporter('database');
const clock = reporter('clock');
const key = reporter('key');

interface Facts {
  version: string;
  recovers: boolean;
  read_only: boolean;
  most_connections: number;
  connections: number;
  oldest_transaction_seconds: number;
  bytes: number;
  now: number;
}

const MOST_SKEW_SECONDS = 5;
const LONG_TRANSACTION_SECONDS = 900;

export async function lookAtDatabase(ctx: Ctx): Promise<Finding[]> {
  const requestedAt = ctx.clock();
  const { rows } = await ctx.db.raw<{ rows: Facts[] }>(`
    select current_setting('server_version') as version, pg_is_in_recovery() as recovers,
      current_setting('default_transaction_read_only')::bool as read_only,
      current_setting('max_connections')::int as most_connections,
      (select count(*)::int from pg_stat_activity where backend_type = 'client backend') as connections,
      coalesce((select max(extract(epoch from now() - xact_start)) from pg_stat_activity
        where backend_type = 'client backend' and datname = current_database()), 0)::float8 as oldest_transaction_seconds,
      pg_database_size(current_database())::float8 as bytes,
      extract(epoch from clock_timestamp())::float8 * 1000 as now`);
  const [facts] = rows;
  if (facts === undefined) throw new Error('PostgreSQL answered with no row');
  return [...lookAtServer(facts), ...(await lookAtSchema(ctx)), ...lookAtClock(facts, requestedAt, ctx.clock())];
}

function lookAtServer({ version, recovers, read_only: readOnly, most_connections: most, connections, oldest_transaction_seconds: oldest }: Facts): Finding[] {
  const all: Finding[] = [];
  if (recovers) all.push(database.problem('PostgreSQL is a standby: it takes no writes.', 'Name the primary in DATABASE_URL, or promote this server.'));
  else if (readOnly) all.push(database.problem('PostgreSQL is read-only.', 'Set default_transaction_read_only to off for this database.'));
  if (connections > most * 0.9)
    all.push(
      database.warning(
        `${connections} of ${most} connections of PostgreSQL are taken.`,
        'Raise max_connections, or end programs that keep connections open: select * from pg_stat_activity.',
      ),
    );
  if (oldest > LONG_TRANSACTION_SECONDS)
    all.push(
      database.warning(
        `A transaction has been open for ${Math.round(oldest / 60)} minutes: PostgreSQL cannot clean up behind it.`,
        'Find it by xact_start in pg_stat_activity, and end it: select pg_terminate_backend(pid).',
      ),
    );
  return all.length > 0 ? all : [database.ok(`PostgreSQL ${version} answers; ${connections} of ${most} connections are taken.`)];
}

async function lookAtSchema(ctx: Ctx): Promise<Finding[]> {
  const pending = await pendingMigrations(ctx.db).catch(reasonOf);
  if (typeof pending === 'string') return [database.problem(pending, 'Start the version that migrated it, or a newer one.')];
  return pending > 0 ? [database.problem(`${pending} migrations have not run.`, 'Run: npm run up')] : [database.ok('Its schema is that of this version.')];
}

function lookAtClock({ now }: Facts, requestedAt: number, answered: number): Finding[] {
  // Between the question and its answer the server's clock may have stood anywhere.
  const by = Math.max(requestedAt - now, now - answered, 0) / 1000;
  return by > MOST_SKEW_SECONDS
    ? [
        clock.problem(
          `The clock of PostgreSQL differs by ${Math.round(by)} s from this machine's.`,
          'Let both take the time from NTP: deadlines and tokens go by it.',
        ),
      ]
    : [clock.ok('The clocks of PostgreSQL and of this machine agree.')];
}

export async function lookAtKey({ db, drivers: { vault } }: { db: Knex; drivers: { vault: Vault } }): Promise<Finding[]> {
  try {
    await checkOwnKey(db, vault);
  } catch (error) {
    if (error instanceof WrongKey) return [key.problem(error.message, 'Nothing that is stored encrypted can be read until then.')];
    throw error;
  }
  const unreadable = await unreadableValue(db, vault);
  return unreadable === undefined
    ? [key.ok('The platform’s key is that of this database, and decrypts what is stored.')]
    : [
        key.problem(
          `A value in ${unreadable} is not encrypted by a key of the key file.`,
          'Put the older keys back as further lines of secrets/platform.key: a backup of it has them.',
        ),
      ];
}
