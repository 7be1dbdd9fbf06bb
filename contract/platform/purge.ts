// Purging accounts: everything that they own goes, by a job.
import { z } from 'zod';
import { JobState } from '../runs/work-ledger.ts';

const MAX_PURGED_AT_ONCE = 20;

export const PurgeUsersQuery = z.object({
  user_ids: z
    .string()
    .regex(/^[\w-]{1,64}(?:,[\w-]{1,64}){0,19}$/, `write 1 to ${MAX_PURGED_AT_ONCE} user ids, separated by commas`)
    .meta({ description: `Ids of the accounts, separated by commas, at most ${MAX_PURGED_AT_ONCE}.`, examples: ['usr_0190a6b0-0000-7000-8000-000000000000'] }),
});

export const PurgeUsersOut = z
  .strictObject({
    job_id: z.string().meta({ description: 'GET /v1/me/jobs/{job_id} and its events tell what was removed, table by table.' }),
    state: JobState,
    user_ids: z.array(z.string()),
  })
  .meta({ id: 'PurgeUsersOut' });
