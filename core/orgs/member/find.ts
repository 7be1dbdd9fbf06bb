// One member of an organization, and the rule that it keeps an owner.
import type { Knex } from 'knex';
import type { OrganizationMembersRow } from '#db/tables.ts';
import type { OrganizationFor } from '../organization/find.ts';
import { Conflict, Forbidden, NotFound } from '../../kernel/errors.ts';
import { type Member, presentMember, selectMembers } from './present.ts';

/** To the end of the transaction: members of one organization change one after the other. */
export async function lockMembers(tx: Knex.Transaction, organizationId: string): Promise<void> {
  await tx('organizations').where({ organization_id: organizationId }).forUpdate().first('organization_id');
}

/** @throws NotFound member_not_found */
export async function memberOf(tx: Knex.Transaction, organizationId: string, memberId: string): Promise<OrganizationMembersRow> {
  const row = await tx('organization_members').where({ organization_id: organizationId, member_id: memberId }).first();
  if (!row) throw new NotFound('member_not_found', `The organization has no member ${memberId}`);
  return row;
}

/**
 * Condition of `member_id`: the address of their invitation, or of their account. Each is found by its index.
 * `address`: in lower case.
 */
export function withAddress(db: Knex, organizationId: string, address: string): Knex.Raw {
  return db.raw(
    `member_id in (
       select a.member_id from organization_members a where a.organization_id = :organizationId and a.email = :address
       union all
       select a.member_id from users u join organization_members a on a.user_id = u.user_id and a.organization_id = :organizationId
       where lower(u.email) = :address)`,
    { organizationId, address },
  );
}

/** @throws NotFound member_not_found */
export async function shownMember(db: Knex, organizationId: string, memberId: string): Promise<Member> {
  const [row] = await selectMembers(db, organizationId).where('m.member_id', memberId);
  if (!row) throw new NotFound('member_not_found', `The organization has no member ${memberId}`);
  return presentMember(row);
}

/** After a change, within lockMembers. @throws Conflict last_owner */
export async function requireOwnerLeft(tx: Knex.Transaction, organizationId: string): Promise<void> {
  const owner = await tx('organization_members').where({ organization_id: organizationId, role: 'owner', state: 'active' }).first('member_id');
  if (!owner) throw new Conflict('last_owner', 'This is the last active owner: make another member an owner first');
}

/** An owner makes owners and changes them; an admin the others. @throws Forbidden role_not_allowed */
export function requireOwnerFor({ actor, slug }: OrganizationFor, roles: readonly (string | undefined)[]): void {
  if (actor.member.role === 'owner' || !roles.includes('owner')) return;
  throw new Forbidden('role_not_allowed', `Only an owner of ${slug} makes owners and changes them: ask one`, { role: actor.member.role });
}
