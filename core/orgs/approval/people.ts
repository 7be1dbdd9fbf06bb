// Members of an organization, where its approvals name them.
import type { Knex } from 'knex';
import { withAddress } from '../member/find.ts';
import { selectMembers } from '../member/present.ts';

export interface ShownPerson {
  user_id: string;
  email: string | null;
  active: boolean;
}

/** By user id or address. */
export async function activeMember(db: Knex, organizationId: string, named: string): Promise<string | undefined> {
  const address = named.trim().toLowerCase();
  const [row] = await selectMembers(db, organizationId)
    .where('m.state', 'active')
    .whereNotNull('m.user_id')
    .where((either) => void either.where('m.user_id', named).orWhere(withAddress(db, organizationId, address)))
    .orderBy('m.user_id')
    .limit(1);
  return row?.user_id ?? undefined;
}

export async function shownPeople(db: Knex, organizationId: string, userIds: readonly string[]): Promise<Map<string, ShownPerson>> {
  const ids = [...new Set(userIds)];
  const rows = await selectMembers(db, organizationId).whereIn('m.user_id', ids);
  const known = new Map(rows.map(({ user_id, email, account_email, state }) => [user_id, { email: account_email ?? email, active: state === 'active' }]));
  return new Map(ids.map((id) => [id, { user_id: id, email: known.get(id)?.email ?? null, active: known.get(id)?.active ?? false }]));
}
