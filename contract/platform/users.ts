// Accounts as operators see them: who they are and how much they have, never what.
import { z } from 'zod';
import { Instant, nextCursor, pageQuery } from '../shared.ts';

/**
 * Agents and runs of one account are counted this far, so that a list is quick whatever the accounts have.
 */
export const COUNTED_TO = 1_000;

export const AdminUsersQuery = pageQuery(50, 100, ['m']).extend({
  email: z.string().min(3).max(254).optional().meta({ description: 'A part of the email address, in any case.' }),
  id_prefix: z
    .string()
    .regex(/^[a-z0-9_-]{1,64}$/, 'is not the start of a user id')
    .optional()
    .meta({ description: 'Prefix of the id.', examples: ['usr_'] }),
});

export const AdminUserOut = z
  .strictObject({
    user_id: z.string(),
    email: z.string(),
    name: z.string().nullable(),
    operator: z.boolean(),
    agents: z.int().min(0).max(COUNTED_TO),
    runs: z.int().min(0).max(COUNTED_TO).meta({ description: 'Runs for this user that have a row of their own.' }),
    created_at: Instant,
    last_seen_at: Instant,
  })
  .meta({ id: 'AdminUserOut', description: `Counts stop at ${COUNTED_TO}, which means that many or more.` });

export const AdminUserListOut = z.strictObject({ items: z.array(AdminUserOut), next_cursor: nextCursor }).meta({ id: 'AdminUserListOut' });
