import type { GrantRowOut } from '#contract/workspace/grants.ts';
import type { GrantsRow } from '#db/tables.ts';
import { whereMay } from '../../kernel/policy.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { microseconds, newestFirst } from '../../kernel/keyset.ts';
import { type Page, toPage } from '../../kernel/page.ts';
import { presentGrant } from './present.ts';

/** Grants of the caller's files, newest first. */
export async function listGrants(ctx: Ctx, i: { limit: number; cursor?: string | undefined }): Promise<Page<GrantRowOut>> {
  const query = ctx
    .db('grants')
    .where(whereMay(ctx.actor, 'grant.read'))
    .select<(GrantsRow & { cursor_at: number })[]>('*', ctx.db.raw(`${microseconds('issued_at')} as cursor_at`));
  newestFirst(query, ['issued_at', 'grant_id'], i);
  const now = ctx.clock();
  return toPage(
    await query,
    i.limit,
    (row) => presentGrant(row, now),
    (row) => [row.cursor_at, row.grant_id],
  );
}
