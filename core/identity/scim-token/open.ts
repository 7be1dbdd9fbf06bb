// What an identity provider sends: found by hash, so that what is stored opens nothing.
import type { Knex } from 'knex';
import type { OrgScimActor } from '../../kernel/ctx.ts';
import { hashSecret } from '../../kernel/secret.ts';
import { markUsed } from '../mark-used.ts';

/** Undefined when unknown, revoked or expired, or when who issued it is no active owner or admin any more. */
export async function scimTokenActor(db: Knex, token: string, now: number): Promise<OrgScimActor | undefined> {
  const row = await db('scim_tokens as t')
    .join('organizations as o', 'o.organization_id', 't.organization_id')
    .join('organization_members as m', (join) => {
      void join.on('m.organization_id', 't.organization_id').andOn('m.user_id', 't.created_by').andOnVal('m.state', 'active');
    })
    .where('t.token_sha256', hashSecret(token))
    .whereNull('t.revoked_at')
    .andWhere((query) => query.whereNull('t.expires_at').orWhere('t.expires_at', '>', new Date(now)))
    .first('t.token_id', 't.last_used_at', 'o.organization_id', 'o.slug', 'm.role');
  if (!row) return undefined;
  const { token_id, organization_id, slug, role } = row;
  if (role !== 'owner' && role !== 'admin') return undefined;
  await markUsed(db, 'scim_tokens', { token_id }, now, row.last_used_at);
  return { kind: 'org_scim', token_id, organization_id, slug, role };
}
