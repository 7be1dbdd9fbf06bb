// What an identity provider sends: found by hash, so that what is stored opens nothing.
import type { Knex } from 'knex';
import type { OrgScimActor } from '../../kernel/ctx.ts';
import { hashSecret } from '../../kernel/secret.ts';
import { markUsed } from '../mark-used.ts';
import { validScimToken } from './valid.ts';

/** Undefined when unknown, revoked or expired, or when who issued it may not issue one any more. */
export async function scimTokenActor(db: Knex, token: string, now: number): Promise<OrgScimActor | undefined> {
  const row = await db('scim_tokens')
    .join('organizations as o', 'o.organization_id', 'scim_tokens.organization_id')
    .join('organization_members as m', (join) => void join.on('m.organization_id', 'o.organization_id').andOn('m.user_id', 'scim_tokens.created_by'))
    .where('scim_tokens.token_sha256', hashSecret(token))
    .where(validScimToken(db, now))
    .first('scim_tokens.token_id', 'scim_tokens.last_used_at', 'o.organization_id', 'o.slug', 'm.role');
  if (!row) return undefined;
  const { token_id, organization_id, slug, role } = row;
  await markUsed(db, 'scim_tokens', { token_id }, now, row.last_used_at);
  return { kind: 'org_scim', token_id, organization_id, slug, role };
}
