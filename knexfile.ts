// For knex's own command line: `npx knex migrate:make name`. The product itself calls db/migrate.ts.
import { migrationConfig } from './db/migrate.ts';

export default {
  client: 'pg',
  connection: process.env.DATABASE_URL ?? '',
  migrations: migrationConfig,
};
