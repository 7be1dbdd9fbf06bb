import type { z } from 'zod';
import type { ReceiptOut } from '#contract/evidence/agent-receipts.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { microseconds, newestFirst } from '../../kernel/keyset.ts';
import { fitting, type Page, toPage } from '../../kernel/page.ts';
import { noSuchAgent } from '../../agents/agent/find.ts';
import { agentByName, mayKnow, whereVisible } from './find.ts';
import { presentReceipt } from './present.ts';

interface Key {
  receipt_id: string;
  bytes: number;
  cursor_at: number;
}

/**
 * Newest first; a page is shorter where its receipts are large. An agent that is not listed exists only for
 * its owner and for those who called it.
 */
export async function listReceipts(ctx: Ctx, i: { name: string; limit: number; cursor?: string | undefined }): Promise<Page<z.infer<typeof ReceiptOut>>> {
  const agent = await agentByName(ctx.db, i.name);
  if (!agent) throw noSuchAgent(i.name);
  const query = ctx
    .db('receipts')
    .where(whereVisible(ctx.actor, agent))
    .select<Key[]>('receipt_id', ctx.db.raw(`octet_length(token) as bytes, ${microseconds('created_at')} as cursor_at`));
  newestFirst(query, ['created_at', 'receipt_id'], i);
  const keys = await query;
  if (keys.length === 0 && !mayKnow(ctx.actor, agent)) {
    const called = await ctx.db('receipts').where(whereVisible(ctx.actor, agent)).first('receipt_id');
    if (!called) throw noSuchAgent(i.name);
  }
  // A receipt may name thousands of files.
  const page = toPage(
    keys,
    fitting(keys, i.limit),
    ({ receipt_id }) => receipt_id,
    (key) => [key.cursor_at, key.receipt_id],
  );
  const rows = await ctx.db('receipts').whereIn('receipt_id', page.items).orderBy([{ column: 'created_at', order: 'desc' }, { column: 'receipt_id', order: 'desc' }]); // prettier-ignore
  return { ...page, items: rows.map((row) => presentReceipt(agent.name, row)) };
}
