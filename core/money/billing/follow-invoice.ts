// An invoice of a subscription, as the processor has it now.
import type { InvoicesRow } from '#db/tables.ts';
import type { Payments, ProcessorInvoice } from '#drivers/payments/port.ts';
import type { Ctx, TxCtx } from '../../kernel/ctx.ts';
import { lockName } from '../../kernel/lock-name.ts';
import { CENT_MICROS } from '../processor/ask.ts';
import { accountOfCustomer } from '../processor/customer.ts';
import type { ProcessorSnapshot } from '../processor/follow.ts';
import { giveIncluded } from './included.ts';

export async function followInvoice(ctx: Ctx, payments: Payments, id: string): Promise<ProcessorSnapshot | undefined> {
  const before = await ctx.db('invoices').where({ invoice_id: id }).first('revision');
  const { state, ...read } = await payments.invoice(id);
  const userId = await accountOfCustomer(ctx, payments, read.customerId);
  // A draft may still change, and is nothing to pay.
  if (userId === undefined || read.subscriptionId === null || state === 'draft') return undefined;
  return { write: (ctx) => write(ctx, { ...read, state, userId, revision: before?.revision ?? 0 }) };
}

type Read = Omit<ProcessorInvoice, 'state'> & { state: Exclude<ProcessorInvoice['state'], 'draft'>; userId: string; revision: number };

async function write(ctx: TxCtx, read: Read): Promise<boolean> {
  await lockName(ctx.db, `subscriptions of ${read.userId}`);
  const row = await ctx.db('invoices').where({ invoice_id: read.id }).forUpdate().first('revision');
  if ((row?.revision ?? 0) !== read.revision) return false;
  const values = { ...factsOf(read), revision: read.revision + 1 };
  await ctx
    .db('invoices')
    .insert({ invoice_id: read.id, created_at: new Date(read.createdAt), ...values })
    .onConflict('invoice_id')
    .merge(values);
  if (read.subscriptionId !== null) await giveIncluded(ctx.db, read.subscriptionId, ctx.clock());
  return true;
}

function factsOf(read: Read): Omit<InvoicesRow, 'invoice_id' | 'revision' | 'created_at' | 'lines'> & { lines: string } {
  const micros = (cents: number): number => cents * CENT_MICROS;
  return {
    user_id: read.userId,
    kind: 'subscription',
    subscription_id: read.subscriptionId,
    number: read.number,
    state: read.state,
    amount_micros: micros(read.cents),
    tax_micros: micros(read.taxCents),
    paid_micros: micros(read.paidCents),
    lines: JSON.stringify(read.lines.map(({ text, quantity, cents }) => ({ text, quantity, amount_micros: micros(cents) }))),
    period_start: new Date(read.periodStart),
    period_end: new Date(read.periodEnd),
    url: read.url,
    pdf_url: read.pdfUrl,
  };
}
