import { type Ctx, personOf } from '../../kernel/ctx.ts';
import { decodeCursor, type Page, toPage } from '../../kernel/page.ts';
import { requireUser } from '../../kernel/policy.ts';
import { noSuchOrganization, organizationFor } from './find.ts';
import { type Organization, type OrganizationView, presentOrganization, selectOrganizations } from './present.ts';

/** By slug. */
export async function listOrganizations(ctx: Ctx, i: { limit: number; cursor?: string | undefined }): Promise<Page<Organization>> {
  const user = requireUser(ctx, 'organization.list');
  const query = selectOrganizations(ctx.db, personOf(user))
    .orderBy('o.slug')
    .limit(i.limit + 1);
  if (user.limited_to !== undefined) void query.where('o.organization_id', user.limited_to);
  if (i.cursor !== undefined) void query.where('o.slug', '>', decodeCursor(i.cursor, ['string'])[0]);
  const rows: OrganizationView[] = await query;
  return toPage(rows, i.limit, presentOrganization, (row) => [row.slug]);
}

export async function getOrganization(ctx: Ctx, { slug }: { slug: string }): Promise<Organization> {
  const { actor } = await organizationFor(ctx.db, ctx.actor, 'organization.read', slug);
  const [row] = await selectOrganizations(ctx.db, actor.member.person_id).where('o.slug', slug);
  if (!row) throw noSuchOrganization(slug);
  return presentOrganization(row);
}
