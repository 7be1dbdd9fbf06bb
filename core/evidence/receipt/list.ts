import type { z } from 'zod';
import type { ReceiptOut } from '#contract/evidence/agent-receipts.ts';
import type { ReceiptsRow } from '#db/tables.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { microseconds, newestFirst } from '../../kernel/keyset.ts';
import { type Page, toPage } from '../../kernel/page.ts';
import { noSuchAgent } from '../../agents/agent/find.ts';
import { agentByName, mayKnow, whereVisible } from './find.ts';
import { presentReceipt } from './present.ts';

/** Newest first. An agent that is not listed exists only for its owner and for those who called it. */
export async function listReceipts(ctx: Ctx, i: { name: string; limit: number; cursor?: string | undefined }): Promise<Page<z.infer<typeof ReceiptOut>>> {
  const agent = await agentByName(ctx.db, i.name);
  if (!agent) throw noSuchAgent(i.name);
  const query = ctx
    .db('receipts')
    .where(whereVisible(ctx.actor, agent))
    .select<(ReceiptsRow & { cursor_at: number })[]>('*', ctx.db.raw(`${microseconds('created_at')} as cursor_at`));
  newestFirst(query, ['created_at', 'receipt_id'], i);
  const rows = await query;
  if (rows.length === 0 && !mayKnow(ctx.actor, agent)) {
    const called = await ctx.db('receipts').where(whereVisible(ctx.actor, agent)).first('receipt_id');
    if (!called) throw noSuchAgent(i.name);
  }
  return toPage(
    rows,
    i.limit,
    (row) => presentReceipt(agent.name, row),
    (row) => [row.cursor_at, row.receipt_id],
  );
}
