// For knex's own command line: `npx knex migrate:status`, `migrate:down`. The product itself calls
// db/migrate.ts. A new migration has the next number: `npm run migration -- NAME` writes it; `migrate:make`,
// which writes a date, is refused by its stub.
import { fileURLToPath } from 'node:url';
import { migrationConfig } from './db/migrate.ts';

export default {
  client: 'pg',
  connection: process.env.DATABASE_URL ?? '',
  migrations: { ...migrationConfig, stub: fileURLToPath(new URL('./db/make.stub', import.meta.url)) },
};
