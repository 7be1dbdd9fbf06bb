// What an organization's identity provider sends with SCIM. Shown once; its hash is kept.
import type { z } from 'zod';
import { MAX_SCIM_TOKENS, type NewScimTokenOut, type ScimOut, type ScimTokenOut } from '#contract/orgs/organizations.ts';
import type { ScimTokensRow } from '#db/tables.ts';
import { validScimToken } from '../../identity/scim-token/valid.ts';
import { newScimToken } from '../../identity/secret.ts';
import { act, done, unchanged } from '../../kernel/act.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { Conflict, NotFound } from '../../kernel/errors.ts';
import { newId } from '../../kernel/ids.ts';
import { newestPage } from '../../kernel/keyset.ts';
import type { Page } from '../../kernel/page.ts';
import { hashSecret } from '../../kernel/secret.ts';
import { storableText } from '../../kernel/storable.ts';
import { lockMembers } from '../member/find.ts';
import { organizationFor, organizationNamed } from '../organization/find.ts';

type ScimToken = z.infer<typeof ScimTokenOut>;

const DAY_MS = 86_400_000;
export async function readScim(ctx: Ctx, { slug }: { slug: string }): Promise<z.infer<typeof ScimOut>> {
  const { organization_id } = await organizationFor(ctx.db, ctx.actor, 'organization.read', slug);
  const [valid, [used], [members]] = await Promise.all([
    ctx.db('scim_tokens').where({ organization_id }).where(validScimToken(ctx.db, ctx.clock())).select('token_id'),
    ctx.db('scim_tokens').where({ organization_id }).max<{ at: Date | null }[]>('last_used_at as at'),
    ctx.db('organization_members').where({ organization_id, source: 'scim' }).count<{ count: number }[]>('* as count'),
  ]);
  return {
    enabled: valid.length > 0,
    base_url: `${ctx.config.baseUrl}/v1/scim/${slug}/v2`,
    tokens: valid.length,
    last_used_at: used?.at?.toISOString() ?? null,
    provisioned_members: Number(members?.count ?? 0),
  };
}

export async function listScimTokens(ctx: Ctx, i: { slug: string; limit: number; cursor?: string | undefined }): Promise<Page<ScimToken>> {
  const { organization_id } = await organizationFor(ctx.db, ctx.actor, 'organization.read', i.slug);
  const query = ctx
    .db('scim_tokens')
    .where({ organization_id })
    .select<(ScimTokensRow & { valid: boolean })[]>('*', ctx.db.raw('? as valid', [validScimToken(ctx.db, ctx.clock())]));
  return newestPage(query, ['created_at', 'token_id'], i, present);
}

/** @throws NotFound organization_not_found; Forbidden role_not_allowed; Conflict too_many_scim_tokens */
export async function createScimToken(
  ctx: Ctx,
  i: { slug: string; name: string; expires_in_days?: number | undefined },
): Promise<z.infer<typeof NewScimTokenOut>> {
  return act(ctx, 'scim_token.create', organizationNamed(i.slug), async (ctx, { organization_id, actor }) => {
    await lockMembers(ctx.db, organization_id);
    const now = ctx.clock();
    const valid = await ctx.db('scim_tokens').where({ organization_id }).where(validScimToken(ctx.db, now)).select('token_id');
    if (valid.length >= MAX_SCIM_TOKENS)
      throw new Conflict('too_many_scim_tokens', `The organization has ${MAX_SCIM_TOKENS} valid SCIM tokens, the most it can have: revoke one first`);
    const token = newScimToken();
    const expires_at = i.expires_in_days === undefined ? null : new Date(now + i.expires_in_days * DAY_MS);
    const [row] = await ctx
      .db('scim_tokens')
      .insert({
        token_id: newId('scm', now),
        organization_id,
        name: storableText(i.name),
        token_sha256: hashSecret(token),
        created_by: actor.member.person_id,
        created_at: new Date(now),
        expires_at,
      })
      .returning('*');
    if (!row) throw new Error('an insert returned no row');
    const facts = { name: row.name, expires_at: expires_at?.toISOString() ?? null };
    return done({ scim_token: row.token_id }, facts, { ...present({ ...row, valid: true }), token });
  });
}

/**
 * Once revoked, again changes nothing. @throws NotFound organization_not_found, scim_token_not_found;
 * Forbidden role_not_allowed
 */
export async function revokeScimToken(ctx: Ctx, i: { slug: string; token_id: string }): Promise<void> {
  await act(ctx, 'scim_token.revoke', organizationNamed(i.slug), async (ctx, { organization_id }) => {
    const mine = { organization_id, token_id: i.token_id };
    const revoked = await ctx.db('scim_tokens').where(mine).whereNull('revoked_at').update({ revoked_at: new Date(ctx.clock()) }); // prettier-ignore
    if (revoked > 0) return done({ scim_token: i.token_id }, {});
    if (!(await ctx.db('scim_tokens').where(mine).first('token_id')))
      throw new NotFound('scim_token_not_found', `The organization has no SCIM token ${i.token_id}`);
    return unchanged(undefined);
  });
}

function present(row: ScimTokensRow & { valid: boolean }): ScimToken {
  return {
    token_id: row.token_id,
    name: row.name,
    valid: row.valid,
    created_at: row.created_at.toISOString(),
    last_used_at: row.last_used_at?.toISOString() ?? null,
    expires_at: row.expires_at?.toISOString() ?? null,
    revoked_at: row.revoked_at?.toISOString() ?? null,
  };
}
