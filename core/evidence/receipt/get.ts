import type { z } from 'zod';
import type { ReceiptOut } from '#contract/evidence/agent-receipts.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { NotFound } from '../../kernel/errors.ts';
import { agentByName, whereVisible } from './find.ts';
import { presentReceipt } from './present.ts';

export async function getReceipt(ctx: Ctx, i: { name: string; receipt_id: string }): Promise<z.infer<typeof ReceiptOut>> {
  const agent = await agentByName(ctx.db, i.name);
  const row = agent && (await ctx.db('receipts').where({ receipt_id: i.receipt_id }).where(whereVisible(ctx.actor, agent)).first());
  if (!row) throw new NotFound('receipt_not_found', `There is no receipt ${i.receipt_id} of ${i.name} that you can see`);
  return presentReceipt(i.name, row);
}
