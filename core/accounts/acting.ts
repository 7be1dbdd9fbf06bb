// For which account a person acts: their own, or that of an organization whose active member they are. Looked
// up for each request, so that who is removed, suspended or given another role acts by it at once. A session
// that an organization's provider made acts for that organization and nothing else: whoever asks by it asks
// as its member, so that their own account is never among what is looked at.
import type { Knex } from 'knex';
import { type Actor, type Membership, personOf, type UserActor } from '../kernel/ctx.ts';
import { Forbidden } from '../kernel/errors.ts';
import { freshRequired, meetsDemand, signedInFreshly, SSO_DEMAND, ssoLimited, ssoRequired } from '../kernel/sso.ts';

/** What a request says of for whom it acts. */
export interface ActsFor {
  /** The slug of an organization: header `Svc-Organization`. */
  organization?: string | undefined;
  /** At a private agent's host: the account that it belongs to. */
  agentOwner?: string | undefined;
}

/** @throws Forbidden organization_not_yours, sso_limited, sso_required, user_required */
export async function actorFor(db: Knex, actor: Actor, { organization, agentOwner }: ActsFor): Promise<Actor> {
  if (actor.kind === 'user' && actor.limited_to !== undefined) return limitedActor(db, actor, actor.limited_to, organization);
  if (organization !== undefined) return actingFor(db, actor, organization);
  if (agentOwner === undefined || actor.kind !== 'user' || actor.user_id === agentOwner) return actor;
  return (await actingForOwner(db, actor, agentOwner)) ?? actor;
}

async function limitedActor(db: Knex, actor: UserActor, organization_id: string, asked: string | undefined): Promise<Actor> {
  const acting = await memberActor(db, actor, { organization_id });
  // Removing a member ends their sessions; one that is looked at in that very moment is over.
  if (!acting) return { kind: 'anonymous' };
  if (asked !== undefined && asked !== acting.member.slug) throw ssoLimited(acting.member);
  return acting;
}

/**
 * `slug`: of the organization that the request names. @throws Forbidden organization_not_yours, sso_required,
 * user_required
 */
export async function actingFor(db: Knex, actor: Actor, slug: string): Promise<Actor> {
  if (actor.kind === 'anonymous') return actor;
  if (actor.kind !== 'user' || actor.via === 'agent_session')
    throw new Forbidden('user_required', 'Only a signed-in person acts for an organization: leave Svc-Organization out, or sign in as a user');
  const acting = await memberActor(db, actor, { slug });
  // The same for an organization that does not exist: only members learn whether it does.
  if (!acting) throw new Forbidden('organization_not_yours', `You are not an active member of an organization ${slug}: ask one of its admins to invite you`);
  return acting;
}

/** Undefined where this account is no organization of theirs. */
export async function actingForOwner(db: Knex, actor: UserActor, ownerId: string): Promise<UserActor | undefined> {
  return memberActor(db, actor, { organization_id: ownerId });
}

/**
 * The person as an active member of that organization, whatever they acted for; undefined: they are none, or
 * it is not the one that they are limited to. This is the one place where it is decided who acts for an
 * organization; findAgentSession asks the same for sessions at agents' origins. `freshly`: owners, or all
 * members, may too who have just signed in otherwise. @throws Forbidden sso_required, fresh_sign_in_required
 */
export async function memberActor(
  db: Knex,
  actor: UserActor,
  of: { slug: string } | { organization_id: string },
  { freshly }: { freshly?: 'owners' | 'members' | undefined } = {},
): Promise<(UserActor & { member: Membership }) | undefined> {
  const [[column, value] = []] = Object.entries(of);
  const row = await db('organizations as o')
    .join('organization_members as m', 'm.organization_id', 'o.organization_id')
    .leftJoin('sso_connections as c', (join) => void join.on('c.organization_id', 'o.organization_id').andOnVal('c.required', true))
    .where({ [`o.${column}`]: value, 'm.user_id': personOf(actor), 'm.state': 'active' })
    .first('o.organization_id', 'o.slug', 'm.member_id', 'm.role', ...SSO_DEMAND);
  if (!row || (actor.limited_to !== undefined && actor.limited_to !== row.organization_id)) return undefined;
  const { organization_id, slug, member_id, role, ...demand } = row;
  const member = { organization_id, slug, member_id, role, person_id: personOf(actor) };
  if (!meetsDemand(actor.sso, demand)) {
    if (freshly === undefined || (freshly === 'owners' && role !== 'owner')) throw ssoRequired(member);
    if (!signedInFreshly(actor)) throw freshRequired();
  }
  return { ...actor, user_id: organization_id, operator: false, member };
}
