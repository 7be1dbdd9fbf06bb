// Finds an organization for one of its active members; for everybody else it does not exist.
import type { Knex } from 'knex';
import type { OrganizationsRow } from '#db/tables.ts';
import { memberActor } from '../../accounts/acting.ts';
import { withControl } from '../../accounts/control.ts';
import type { Actor, Ctx, Membership, UserActor } from '../../kernel/ctx.ts';
import { NotFound } from '../../kernel/errors.ts';
import { type Action, rowsThatMay } from '../../kernel/policy.ts';
import { ssoLimited } from '../../kernel/sso.ts';

/** `actor` acts for the organization: an audit row of theirs is in its log. */
export type OrganizationFor = OrganizationsRow & { actor: UserActor & { member: Membership } };

/**
 * Whatever the caller acts for. @throws Unauthorized; NotFound organization_not_found; Forbidden
 * user_required, role_not_allowed, account_suspended, sso_required, sso_limited
 */
export async function organizationFor(
  db: Knex,
  actor: Actor,
  action: Action,
  slug: string,
  options: Parameters<typeof memberActor>[3] = {},
): Promise<OrganizationFor> {
  const acting = actor.kind === 'user' ? await memberActor(db, actor, { slug }, options) : undefined;
  // Of all others alike, there or not: what the person is elsewhere is not told.
  if (!acting && actor.kind === 'user' && actor.limited_to !== undefined) throw ssoLimited(actor.member);
  // Refuses who is no user, and whose role does not allow it.
  rowsThatMay(acting ?? actor, action, { owner: 'organization_id' });
  const row = acting && (await db('organizations').where({ organization_id: acting.user_id }).first());
  if (!acting || !row) throw noSuchOrganization(slug);
  return { ...row, actor: await withControl(db, acting) };
}

/** The subject of an action (core/kernel/act.ts): as organizationFor, for who acts. */
export function organizationNamed(slug: string, options: Parameters<typeof organizationFor>[4] = {}) {
  return (ctx: Pick<Ctx, 'db' | 'actor'>, action: Action): Promise<OrganizationFor> => organizationFor(ctx.db, ctx.actor, action, slug, options);
}

export function noSuchOrganization(slug: string): NotFound {
  return new NotFound('organization_not_found', `You are not an active member of an organization ${slug}: list yours with "svc orgs list"`);
}
