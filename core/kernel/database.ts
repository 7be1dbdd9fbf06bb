// The pool of one process of the platform.
import type { Knex } from 'knex';
import { API_CONNECTIONS, createPool } from '#db/pool.ts';

export function openDatabase(process: 'api' | 'worker' | 'imports', connectionString: string): Knex {
  return createPool({ connectionString, applicationName: `svc-${process}`, ...(process === 'api' && { max: API_CONNECTIONS }) });
}
