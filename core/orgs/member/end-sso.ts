// Sessions that an organization's own sign-in made, ended in the transaction that takes away what they were
// for. The next request finds them gone.
import type { Knex } from 'knex';

/**
 * Of one member who is removed or suspended. What they linked ends too: an admin who lets them in again must
 * not get all of their account by it.
 */
export async function endSsoOf(tx: Knex.Transaction, of: { organization_id: string; user_id: string }, now: number): Promise<void> {
  await tx('sso_identities').where(of).update({ linked_at: null });
  await endSsoSessionsOf(tx, of, now);
}

/** Of one member: they sign in again. */
export async function endSsoSessionsOf(tx: Knex.Transaction, of: { organization_id: string; user_id: string }, now: number): Promise<void> {
  const connection = await tx('sso_connections').where({ organization_id: of.organization_id }).first('connection_id');
  if (connection) await endSessions(tx, { sso_connection_id: connection.connection_id, user_id: of.user_id }, now);
}

/** Of one connection: of one user, or of all. */
export async function endSessions(tx: Knex.Transaction, of: { sso_connection_id: string; user_id?: string }, now: number): Promise<void> {
  const ended = { revoked_at: new Date(now) };
  await tx('web_sessions').where(of).whereNull('revoked_at').update(ended);
  await tx('platform_tokens').where(of).whereNull('revoked_at').update(ended);
  // What they were about to sign in: codes are good for seconds or minutes.
  const { sso_connection_id, ...person } = of;
  await tx('one_time_codes').where(person).whereNull('used_at').whereRaw(`payload -> 'sso' ->> 'connection_id' = ?`, [sso_connection_id]).update({ expires_at: new Date(now) }); // prettier-ignore
}
