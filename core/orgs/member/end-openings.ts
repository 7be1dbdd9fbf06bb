import type { Knex } from 'knex';

/**
 * What opens the organization's repositories and dev boxes and names no person, since it was made by an older
 * platform: it ends for all members when the rights of one do, and who still has them gets it again at the
 * next use. What names a person ends with theirs, which every use looks at.
 */
export async function endOpenings(tx: Knex.Transaction, organizationId: string, now: number): Promise<void> {
  await tx('source_tokens')
    .where({ owner_id: organizationId, person_id: null })
    .whereIn('holder', ['git', 'editor'])
    .whereNull('revoked_at')
    .update({ revoked_at: new Date(now) });
  await tx('dev_box_sessions').where({ user_id: organizationId, person_id: null }).delete();
}
