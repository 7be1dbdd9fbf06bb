// Brings the database to the newest schema, then ends.
import { z } from 'zod';
import { migrate, SchemaRefused } from '#db/migrate.ts';

const { DATABASE_URL } = z.object({ DATABASE_URL: z.string() }).parse(process.env);
try {
  const ran = await migrate(DATABASE_URL);
  console.log(ran.length === 0 ? 'the schema is current' : `migrated: ${ran.join(', ')}`);
} catch (error) {
  if (!(error instanceof SchemaRefused)) throw error;
  // The supervisor shows the last line.
  console.error(error.message);
  process.exitCode = 1;
}
