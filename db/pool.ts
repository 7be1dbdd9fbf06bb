// One pool per process. Timestamps come back as Date, bigint counts as number where they fit.
import knexFactory, { type Knex } from 'knex';
import pg from 'pg';

const int8 = 20;
/** Of an API process. */
export const API_CONNECTIONS = 20;

export interface PoolOptions {
  connectionString: string;
  /** Upper bound of connections; default 10. */
  max?: number;
  applicationName?: string;
}

export function createPool({ connectionString, max = 10, applicationName = 'svc' }: PoolOptions): Knex {
  pg.types.setTypeParser(int8, safeInteger);
  const pool = knexFactory({
    client: 'pg',
    connection: { connectionString, application_name: applicationName },
    pool: { min: 0, max },
    acquireConnectionTimeout: 10_000,
  });
  connections.set(pool, max);
  return pool;
}

const connections = new WeakMap<Knex, number>();

/** The most connections that a pool made here takes. */
export function connectionsOf(pool: Knex): number {
  return connections.get(pool) ?? 1;
}

function safeInteger(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new RangeError(`integer ${text} does not fit a JavaScript number`);
  return value;
}
