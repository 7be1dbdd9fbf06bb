import type { Payments } from '#drivers/payments/port.ts';
import type { Ctx, UserActor } from '../../kernel/ctx.ts';
import { atProcessor } from './ask.ts';

/**
 * The account's id at the processor; made at the first use. Two at once, or a crash between, make one: the
 * key is the account's.
 */
export async function customerOf({ db, clock }: Ctx, payments: Payments, { user_id, email }: UserActor): Promise<string> {
  const key = { user_id, processor: payments.name };
  const row = await db('payment_customers').where(key).first('customer_id');
  if (row) return row.customer_id;
  const { id } = await atProcessor(payments.createCustomer({ accountId: user_id, email, key: `customer:${user_id}` }));
  await db('payment_customers')
    .insert({ ...key, customer_id: id, created_at: new Date(clock()) })
    .onConflict(['user_id', 'processor'])
    .ignore();
  const storedRow = await db('payment_customers').where(key).first('customer_id');
  return storedRow?.customer_id ?? id;
}

/** The account of a customer; undefined: there is none. */
export async function accountOfCustomer({ db }: Pick<Ctx, 'db'>, payments: Payments, customer_id: string): Promise<string | undefined> {
  const row = await db('payment_customers').where({ processor: payments.name, customer_id }).first('user_id');
  return row?.user_id;
}
