// Whether everybody who acts for an organization has to have signed in by its connection.
import { act, done, unchanged } from '../../kernel/act.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { Conflict } from '../../kernel/errors.ts';
import { meetsDemand } from '../../kernel/sso.ts';
import { endOpenings } from '../member/end-openings.ts';
import { lockMembers } from '../member/find.ts';
import { organizationNamed } from '../organization/find.ts';
import { connectionFor, type OrganizationSso, shownSso } from './connection.ts';
import { endConnection } from './end.ts';
import { addOpening } from './openings.ts';

/** @throws NotFound sso_not_configured; Conflict sso_untried */
export async function requireSso(ctx: Ctx, { slug, required }: { slug: string; required: boolean }): Promise<OrganizationSso> {
  return act(ctx, 'organization.manage', organizationNamed(slug), async (ctx, { organization_id, actor }) => {
    await lockMembers(ctx.db, organization_id);
    const { connection_id, session_hours, required: was } = await connectionFor(ctx.db, organization_id);
    if (required && !meetsDemand(actor.sso, { demanded_connection_id: connection_id, demanded_hours: session_hours }))
      throw new Conflict('sso_untried', `Sign in by the connection first, so that it is known to work: svc login --org ${slug}`);
    if (was === required) return unchanged(await shownSso(ctx, { organization_id, slug }));
    await ctx.db('sso_connections').where({ connection_id }).update({ required, updated_at: new Date(ctx.clock()) }); // prettier-ignore
    if (required) await endOpenings(ctx.db, organization_id, ctx.clock());
    const shown = await shownSso(ctx, { organization_id, slug });
    return done({ sso_connection: connection_id }, { required }, shown, { action: 'organization.sso_require' });
  });
}

/**
 * For owners, when the provider is broken; all owners get a mail of it. @throws NotFound sso_not_configured;
 * Forbidden sso_required, fresh_sign_in_required
 */
export async function breakGlass(ctx: Ctx, { slug }: { slug: string }): Promise<void> {
  await act(ctx, 'organization.manage', organizationNamed(slug, { freshly: 'owners' }), async (ctx, { organization_id, actor }) => {
    await lockMembers(ctx.db, organization_id);
    const { connection_id } = await connectionFor(ctx.db, organization_id);
    await ctx.db('sso_connections').where({ connection_id }).update({ required: false, updated_at: new Date(ctx.clock()) }); // prettier-ignore
    await addOpening(ctx, { organization_id, opened_by: actor.member.person_id });
    return done({ sso_connection: connection_id }, {}, undefined, { action: 'organization.sso_break_glass' });
  });
}

/** @throws NotFound sso_not_configured */
export async function removeSso(ctx: Ctx, { slug }: { slug: string }): Promise<void> {
  await act(ctx, 'organization.manage', organizationNamed(slug), async (ctx, { organization_id }) => {
    await lockMembers(ctx.db, organization_id);
    const connection = await connectionFor(ctx.db, organization_id);
    await endConnection(ctx.db, connection, ctx.clock());
    return done({ sso_connection: connection.connection_id }, { issuer: connection.issuer }, undefined, { action: 'organization.sso_remove' });
  });
}
