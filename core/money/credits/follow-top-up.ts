// A top-up, as the processor has it now: paid into the wallet once, and the books moved to what refunds and
// disputes leave of it.
import type { TopUpsRow } from '#db/tables.ts';
import type { Checkout, Payment, Payments } from '#drivers/payments/port.ts';
import { audit } from '../../kernel/audit.ts';
import type { Ctx, TxCtx } from '../../kernel/ctx.ts';
import { post } from '../ledger/post.ts';
import { CENT_MICROS } from '../processor/ask.ts';
import type { ProcessorSnapshot } from '../processor/follow.ts';
import { giveBack, lockAccounts, recover, takeBack, type WalletAccounts } from './move.ts';

export async function followPayment(ctx: Ctx, payments: Payments, id: string): Promise<ProcessorSnapshot | undefined> {
  const { reference } = await payments.payment(id);
  return reference === null ? undefined : followTopUp(ctx, payments, reference, { paymentId: id });
}

/** `of`: what the event was about; its reference led to this top-up. */
export async function followTopUp(
  { db }: Ctx,
  payments: Payments,
  top_up_id: string,
  of: { checkoutId?: string; paymentId?: string } = {},
): Promise<ProcessorSnapshot | undefined> {
  // Before the reads: who writes between makes them old.
  const row = await db('top_ups').where({ top_up_id, processor: payments.name }).first();
  if (!row) return undefined;
  const checkoutId = of.checkoutId ?? row.checkout_id;
  const checkout = checkoutId === null ? undefined : await payments.checkout(checkoutId);
  const paymentId = of.paymentId ?? checkout?.paymentId ?? row.payment_id;
  const payment = paymentId === null ? undefined : await payments.payment(paymentId);
  return { write: (ctx) => write(ctx, { row, checkout, payment }) };
}

interface Read {
  row: TopUpsRow;
  checkout: Checkout | undefined;
  payment: Payment | undefined;
}

async function write(ctx: TxCtx, { row: before, checkout, payment }: Read): Promise<boolean> {
  const { top_up_id } = before;
  const row = await ctx.db('top_ups').where({ top_up_id }).forUpdate().first();
  if (!row || row.revision !== before.revision) return false;
  const at = ctx.clock();
  const accounts = await lockAccounts(ctx.db, row.user_id, top_up_id);
  const paid = await pay(ctx, accounts, { row, checkout, payment });
  const moved = await moveTo(ctx, accounts, paid, payment);
  await recover(ctx.db, accounts, at);
  const state = moved.paid_at ? 'paid' : checkout?.state === 'expired' ? 'expired' : row.state;
  await ctx
    .db('top_ups')
    .where({ top_up_id })
    .update({
      ...moved,
      state,
      checkout_id: checkout?.id ?? row.checkout_id,
      checkout_url: state === 'open' ? row.checkout_url : null,
      payment_id: payment?.id ?? row.payment_id,
      tax_cents: checkout?.taxCents ?? row.tax_cents,
      disputed: payment ? payment.disputes.some((one) => one.state === 'open') : row.disputed,
      revision: row.revision + 1,
      checked_at: new Date(at),
    });
  return true;
}

type Books = Pick<TopUpsRow, 'top_up_id' | 'user_id' | 'credited_micros' | 'taken_micros' | 'moves' | 'paid_at'>;

async function pay(ctx: TxCtx, { wallet, funding }: WalletAccounts, { row, checkout, payment }: Read): Promise<Books> {
  const { top_up_id, user_id, credited_micros, taken_micros, moves, paid_at } = row;
  const books = { top_up_id, user_id, credited_micros, taken_micros, moves, paid_at };
  if (paid_at !== null || !(checkout?.paid || payment?.paid)) return books;
  const at = ctx.clock();
  // What was paid without taxes, and never more than was asked for.
  const micros = Math.max(0, Math.min(row.amount_cents, checkout?.cents ?? payment?.cents ?? 0)) * CENT_MICROS;
  const lines = [{ accountId: wallet, micros }, { accountId: funding, micros: -micros }]; // prettier-ignore
  if (micros > 0) await post(ctx.db, { key: `top_up:${top_up_id}`, kind: 'top_up', lines, refs: { top_up_id }, at });
  await audit(ctx, 'top_up.paid', { top_up: top_up_id }, { user_id, micros });
  return { ...books, credited_micros: micros, paid_at: new Date(at) };
}

/** Moves money by the difference between what is taken back at the processor and what is taken back here. */
async function moveTo(ctx: TxCtx, accounts: WalletAccounts, books: Books, payment: Payment | undefined): Promise<Omit<Books, 'user_id'>> {
  const { user_id, ...kept } = books;
  if (payment === undefined || books.paid_at === null) return kept;
  const micros = takenOf(payment, books.credited_micros) - books.taken_micros;
  if (micros === 0) return kept;
  const move = { topUpId: books.top_up_id, number: books.moves + 1, micros: Math.abs(micros), at: ctx.clock() };
  await (micros > 0 ? takeBack : giveBack)(ctx.db, accounts, move);
  await audit(ctx, micros > 0 ? 'top_up.taken_back' : 'top_up.given_back', { top_up: books.top_up_id }, { user_id, micros: Math.abs(micros) });
  return { ...kept, taken_micros: books.taken_micros + micros, moves: move.number };
}

/**
 * The part of the credits that the processor has taken back: in proportion, since a payment has taxes on top.
 */
export function takenOf({ cents, refundedCents, disputes }: Pick<Payment, 'cents' | 'refundedCents' | 'disputes'>, credited: number): number {
  if (cents <= 0) return 0;
  const disputed = disputes.reduce((sum, one) => sum + (one.state === 'won' ? 0 : one.cents), 0);
  return Math.floor((credited * Math.min(cents, refundedCents + disputed)) / cents);
}
