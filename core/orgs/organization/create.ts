import { MAX_ORGANIZATIONS } from '#contract/orgs/organizations.ts';
import { memberActor } from '../../accounts/acting.ts';
import { act, recorded } from '../../kernel/act.ts';
import { audit } from '../../kernel/audit.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { Conflict } from '../../kernel/errors.ts';
import { newId } from '../../kernel/ids.ts';
import { requireUser } from '../../kernel/policy.ts';
import { storableText } from '../../kernel/storable.ts';
import { getOrganization } from './list.ts';
import type { Organization } from './present.ts';

/** No identity provider has this issuer: an organization has no sign-in. */
const ISSUER = 'organization';

/** @throws Conflict organization_exists, too_many_organizations */
export async function createOrganization(ctx: Ctx, i: { slug: string; name: string }): Promise<Organization> {
  const now = new Date(ctx.clock());
  const organization_id = newId('org', ctx.clock());
  return act(ctx, 'organization.create', requireUser, async (ctx, user) => {
    await ctx.db('users').where({ user_id: user.user_id }).forUpdate().first('user_id');
    const [made] = await ctx.db('organizations').where({ created_by: user.user_id }).count<{ count: number }[]>('* as count');
    if (Number(made?.count ?? 0) >= MAX_ORGANIZATIONS)
      throw new Conflict('too_many_organizations', `You have made ${MAX_ORGANIZATIONS} organizations, the most that one person makes: ask to join one`);
    const name = storableText(i.name);
    const [account] = await ctx
      .db('users')
      .insert({ user_id: organization_id, issuer: ISSUER, subject: i.slug, email: '', name, kind: 'organization', created_at: now, last_seen_at: now })
      .onConflict(['issuer', 'subject'])
      .ignore()
      .returning('user_id');
    if (!account) throw new Conflict('organization_exists', `There is an organization ${i.slug}: choose another slug`);
    await ctx.db('organizations').insert({ organization_id, slug: i.slug, name, created_by: user.user_id, created_at: now });
    await ctx.db('organization_members').insert({
      member_id: newId('mem', ctx.clock()),
      organization_id,
      user_id: user.user_id,
      email: user.email.toLowerCase(),
      role: 'owner',
      state: 'active',
      source: 'person',
      created_at: now,
      joined_at: now,
      updated_at: now,
    });
    const actor = await memberActor(ctx.db, user, { organization_id });
    await audit({ ...ctx, actor: actor ?? user }, 'organization.create', { organization: organization_id }, { slug: i.slug });
    return recorded(await getOrganization(ctx, i));
  });
}
