// One pool per process. Timestamps come back as Date, bigint counts as number where they fit.
import knexFactory, { type Knex } from 'knex';
import pg from 'pg';

const int8 = 20;
/** How alike words must be for a search to forgive a typing error (pg_trgm's own 0.6 does not forgive one letter in nine). */
const wordSimilarity = '-c pg_trgm.word_similarity_threshold=0.45';

export interface PoolOptions {
  connectionString: string;
  /** Upper bound of connections; default 10. */
  max?: number;
  applicationName?: string;
}

export function createPool({ connectionString, max = 10, applicationName = 'svc' }: PoolOptions): Knex {
  pg.types.setTypeParser(int8, safeInteger);
  return knexFactory({
    client: 'pg',
    connection: { connectionString, application_name: applicationName, options: wordSimilarity },
    pool: { min: 0, max },
    acquireConnectionTimeout: 10_000,
  });
}

function safeInteger(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new RangeError(`integer ${text} does not fit a JavaScript number`);
  return value;
}
