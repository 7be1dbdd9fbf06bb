import type { GrantRowOut } from '#contract/workspace/grants.ts';
import type { GrantsRow } from '#db/tables.ts';
import { whereMay } from '../../kernel/policy.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { newestPage } from '../../kernel/keyset.ts';
import type { Page } from '../../kernel/page.ts';
import { presentGrant } from './present.ts';

/** Grants of the caller's files, newest first. */
export async function listGrants(ctx: Ctx, i: { limit: number; cursor?: string | undefined }): Promise<Page<GrantRowOut>> {
  const query = ctx.db('grants').where(whereMay(ctx.actor, 'grant.read')).select<GrantsRow[]>('*');
  const now = ctx.clock();
  return newestPage(query, ['issued_at', 'grant_id'], i, (row) => presentGrant(row, now));
}
