// What an identity provider sends: found by hash, so that what is stored opens nothing.
import type { Knex } from 'knex';
import type { OrgScimActor } from '../../kernel/ctx.ts';
import { hashSecret } from '../../kernel/secret.ts';
import { markUsed } from '../mark-used.ts';

/** Undefined when unknown, revoked or expired. */
export async function scimTokenActor(db: Knex, token: string, now: number): Promise<OrgScimActor | undefined> {
  const row = await db('scim_tokens as t')
    .join('organizations as o', 'o.organization_id', 't.organization_id')
    .where('t.token_sha256', hashSecret(token))
    .whereNull('t.revoked_at')
    .andWhere((query) => query.whereNull('t.expires_at').orWhere('t.expires_at', '>', new Date(now)))
    .first('t.token_id', 't.last_used_at', 'o.organization_id', 'o.slug');
  if (!row) return undefined;
  const { token_id, organization_id, slug } = row;
  await markUsed(db, 'scim_tokens', { token_id }, now, row.last_used_at);
  return { kind: 'org_scim', token_id, organization_id, slug };
}
