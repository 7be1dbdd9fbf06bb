// How many users and groups an identity provider may send.
import type { Knex } from 'knex';
import { Conflict } from '../../kernel/errors.ts';

const MOST = { scim_users: 50_000, scim_groups: 5_000 } as const;
const NAMES = { scim_users: 'users', scim_groups: 'groups' } as const;

/** After one more was inserted, within lockMembers. @throws Conflict scim_too_many */
export async function requireScimRoom(tx: Knex.Transaction, organizationId: string, table: keyof typeof MOST): Promise<void> {
  const row = await tx('organizations').where({ organization_id: organizationId }).first(table);
  if ((row?.[table] ?? 0) <= MOST[table]) return;
  const what = `${MOST[table]} provisioned ${NAMES[table]}`;
  throw new Conflict('scim_too_many', `The organization has ${what}, the most that are allowed: remove some first`);
}
