import type { z } from 'zod';
import { type GrantDetailOut, MAX_GRANT_TREE } from '#contract/workspace/grants.ts';
import type { GrantsRow } from '#db/tables.ts';
import { rowsThatMay } from '../../kernel/policy.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { NotFound } from '../../kernel/errors.ts';
import { MAX_CHAIN } from './chain.ts';
import { presentGrant } from './present.ts';

/**
 * A grant of the caller's files and every transitive extension and delegation of it, in the order of the
 * tree.
 */
export async function getGrant(ctx: Ctx, i: { grant_id: string }): Promise<z.infer<typeof GrantDetailOut>> {
  const mine = rowsThatMay(ctx.actor, 'grant.read', { owner: 'owner_id' });
  // Ids are UUIDs of version 7: by id is by age, and a path of ids sorts each row before what came from it.
  const { rows } = await ctx.db.raw<{ rows: (GrantsRow & { level: number })[] }>(
    `with recursive tree as (
       select g.*, 0 as level, array[g.grant_id] as trail from grants g where grant_id = :grantId and ${mine.sql}
       union all
       select c.*, t.level + 1, t.trail || c.grant_id from tree t join grants c on c.parent_grant_id = t.grant_id where t.level < ${MAX_CHAIN}
     ), found as (select * from tree limit ${MAX_GRANT_TREE + 2})
     select * from found order by trail`,
    { grantId: i.grant_id, ...mine.bindings },
  );
  const [row, ...descendants] = rows;
  if (!row) throw new NotFound('grant_not_found', `You have no grant ${i.grant_id}: list yours with "svc files shares"`);
  const now = ctx.clock();
  return {
    ...presentGrant(row, now),
    extensions: descendants.slice(0, MAX_GRANT_TREE).map((each) => ({ ...presentGrant(each, now), level: each.level })),
    truncated: descendants.length > MAX_GRANT_TREE,
  };
}
