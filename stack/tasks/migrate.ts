// Brings the database to the newest schema and checks that it belongs to the key of this installation, then
// ends.
import { join } from 'node:path';
import { z } from 'zod';
import { requireOwnKey, WrongKey } from '#core/platform/installation/key.ts';
import { migrate, SchemaRefused } from '#db/migrate.ts';
import { createPool } from '#db/pool.ts';
import { openKeyFile } from '#drivers/vault/key-file.ts';

const { DATABASE_URL, SVC_SECRETS_DIR } = z.object({ DATABASE_URL: z.string(), SVC_SECRETS_DIR: z.string() }).parse(process.env);
try {
  const ran = await migrate(DATABASE_URL);
  await checkKey();
  console.log(ran.length === 0 ? 'the schema is current' : `migrated: ${ran.join(', ')}`);
} catch (error) {
  if (!(error instanceof SchemaRefused || error instanceof WrongKey)) throw error;
  // The supervisor shows the last line.
  console.error(error.message);
  process.exitCode = 1;
}

async function checkKey(): Promise<void> {
  const db = createPool({ connectionString: DATABASE_URL, max: 1, applicationName: 'svc-migrate' });
  try {
    await requireOwnKey(db, await openKeyFile(join(SVC_SECRETS_DIR, 'platform.key')));
  } finally {
    await db.destroy();
  }
}
