// Which SCIM tokens hold now: the one condition for who shows them and who opens them.
import type { Knex } from 'knex';
import { rolesThatMay } from '../../kernel/roles.ts';

/** Of rows `scim_tokens`: not revoked, not expired, and of somebody who may issue one today. */
export function validScimToken(db: Knex, now: number): Knex.Raw {
  return db.raw(
    `(scim_tokens.revoked_at is null and (scim_tokens.expires_at is null or scim_tokens.expires_at > :now) and exists (
       select 1 from organization_members issuer
       where issuer.organization_id = scim_tokens.organization_id and issuer.user_id = scim_tokens.created_by
         and issuer.state = 'active' and issuer.role = any(:roles)))`,
    { now: new Date(now), roles: rolesThatMay('scim_token.create') },
  );
}
