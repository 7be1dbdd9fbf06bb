// Asking the payment processor: never inside a transaction. What it fails with becomes an error with a code.
import { PaymentsFailed, type Payments } from '#drivers/payments/port.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { BadGateway, Unavailable } from '../../kernel/errors.ts';

/** A cent in micro-credits. */
export const CENT_MICROS = 10_000;

/** @throws Unavailable payments_off */
export function paymentsOf({ drivers }: Pick<Ctx, 'drivers'>): Payments {
  if (drivers.payments) return drivers.payments;
  throw new Unavailable('payments_off', 'Nothing can be paid on this installation: an operator sets SVC_PAYMENTS');
}

/** @throws Unavailable payments_down; BadGateway payments_refused */
export async function atProcessor<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof PaymentsFailed)) throw error;
    if (error.retry) throw new Unavailable('payments_down', 'The payment processor does not answer: try again', { processor_code: error.code });
    throw new BadGateway('payments_refused', `${error.message}: try again, and ask the operators if it stays so`, { processor_code: error.code });
  }
}
