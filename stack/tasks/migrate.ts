// Brings the database to the newest schema, then ends.
import { z } from 'zod';
import { migrate } from '#db/migrate.ts';

const { DATABASE_URL } = z.object({ DATABASE_URL: z.string() }).parse(process.env);
const ran = await migrate(DATABASE_URL);
console.log(ran.length === 0 ? 'the schema is current' : `migrated: ${ran.join(', ')}`);
