import type { Knex } from 'knex';
import type { GrantsRow } from '#db/tables.ts';

/** Delegations (8 at most) and extensions between a grant and its root. */
export const MAX_CHAIN = 72;

/**
 * The grant and all it comes from, itself first. Empty when there is none; without its root when the chain is
 * too long.
 */
export async function chainOf(db: Knex, grantId: string): Promise<GrantsRow[]> {
  const { rows } = await db.raw<{ rows: GrantsRow[] }>(
    `with recursive chain as (
       select g.*, 0 as level from grants g where grant_id = :grantId
       union all
       select p.*, c.level + 1 from chain c join grants p on p.grant_id = c.parent_grant_id where c.level < ${MAX_CHAIN}
     )
     select * from chain order by level`,
    { grantId },
  );
  return rows;
}
