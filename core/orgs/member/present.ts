import type { Knex } from 'knex';
import type { z } from 'zod';
import type { MemberOut } from '#contract/orgs/organizations.ts';
import type { OrganizationMembersRow } from '#db/tables.ts';

export type Member = z.infer<typeof MemberOut>;
export type MemberView = OrganizationMembersRow & { account_email: string | null; name: string | null };

export function selectMembers(db: Knex, organizationId: string): Knex.QueryBuilder<MemberView, MemberView[]> {
  return db('organization_members as m')
    .leftJoin('users as u', 'u.user_id', 'm.user_id')
    .where({ 'm.organization_id': organizationId })
    .select('m.*', 'u.email as account_email', 'u.name');
}

export function presentMember(row: MemberView): Member {
  return {
    member_id: row.member_id,
    user_id: row.user_id,
    email: row.account_email ?? row.email,
    name: row.name,
    role: row.role,
    state: row.state,
    source: row.source,
    created_at: row.created_at.toISOString(),
    joined_at: row.joined_at?.toISOString() ?? null,
    expires_at: row.expires_at?.toISOString() ?? null,
    mailed: row.mailed_at !== null,
  };
}
