// What an identity provider sends: found by hash, so that what is stored opens nothing.
import type { Knex } from 'knex';
import type { OrgScimActor } from '../../kernel/ctx.ts';
import { hashSecret } from '../../kernel/secret.ts';

const TOUCH_MS = 60_000;

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
  if (!row.last_used_at || now - row.last_used_at.getTime() > TOUCH_MS) {
    // Not awaited: a request does not wait for it, and does not fail with it.
    void db('scim_tokens')
      .where({ token_id })
      .update({ last_used_at: new Date(now) })
      .then(undefined, () => undefined);
  }
  return { kind: 'org_scim', token_id, organization_id, slug };
}
