// For each month that is over, a statement of what its calls cost: paid already, by credits. Once for each
// account and month.
import type { Ctx } from '../../kernel/ctx.ts';
import { newId } from '../../kernel/ids.ts';
import { inOrder } from '../../kernel/in-order.ts';
import { usageLines } from './usage.ts';

const A_PAGE = 500;
/** A call that began in a month may be settled on the first of the next: a statement waits for it. */
const SETTLED_MS = 6 * 3_600_000;

export async function writeUsageInvoices(ctx: Ctx): Promise<void> {
  const { db } = ctx;
  const now = ctx.clock();
  const today = new Date(now - SETTLED_MS);
  const [from, to] = [-1, 0].map((months) => new Date(Date.UTC(today.getUTCFullYear(), today.getUTCMonth() + months, 1)));
  if (!from || !to) throw new Error('a month has two ends');
  const payers = (after: string) =>
    db('charges as c')
      .where('c.payer_id', '>', after)
      .where({ 'c.state': 'settled' })
      .where('c.ended_at', '>=', from)
      .where('c.ended_at', '<', to)
      .where('c.amount_micros', '>', 0)
      .whereNotExists(db('invoices as i').whereRaw('i.user_id = c.payer_id').where({ 'i.kind': 'usage', 'i.period_start': from }).select(db.raw('1')))
      .distinct<{ payer_id: string }[]>('c.payer_id')
      .orderBy('c.payer_id')
      .limit(A_PAGE);
  for await (const { payer_id } of inOrder((one) => one.payer_id, payers)) await write(ctx, payer_id, from, to);
}

async function write({ db, clock }: Ctx, user_id: string, from: Date, to: Date): Promise<void> {
  const lines = await usageLines(db, user_id, from, to);
  const amount = lines.reduce((sum, { amount_micros }) => sum + amount_micros, 0);
  const amounts = { amount_micros: amount, tax_micros: 0, paid_micros: amount, lines: JSON.stringify(lines) };
  const facts = { kind: 'usage' as const, state: 'paid' as const, number: from.toISOString().slice(0, 7), revision: 1, created_at: new Date(clock()) };
  await db('invoices')
    .insert({ invoice_id: newId('inv', clock()), user_id, ...facts, ...amounts, period_start: from, period_end: to })
    .onConflict(db.raw(`(user_id, period_start) where kind = 'usage'`))
    .ignore();
}
