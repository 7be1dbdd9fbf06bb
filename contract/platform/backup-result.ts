// The file in which an installation notes how its last backup ended.
import { z } from 'zod';

export const BACKUP_RESULT_FILE = 'last-backup.json';

export const BackupResult = z.object({
  /** When it ended. */
  at: z.iso.datetime(),
  to: z.string(),
  /** A sentence; null: it succeeded. */
  error: z.string().nullable(),
  /** The last one that succeeded, whichever that was. */
  last: z.object({ id: z.string(), at: z.iso.datetime(), bytes: z.int(), took_ms: z.int() }).nullable(),
});
export type BackupResult = z.infer<typeof BackupResult>;
