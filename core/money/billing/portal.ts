import type { z } from 'zod';
import type { BillingPortalOut } from '#contract/money/billing.ts';
import { act, done } from '../../kernel/act.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { newId } from '../../kernel/ids.ts';
import { requireUser } from '../../kernel/policy.ts';
import { atProcessor, paymentsOf } from '../processor/ask.ts';
import { customerOf } from '../processor/customer.ts';

/** @throws Unavailable payments_off, payments_down; BadGateway payments_refused */
export async function openPortal(ctx: Ctx): Promise<z.infer<typeof BillingPortalOut>> {
  const user = requireUser(ctx, 'billing.portal');
  const payments = paymentsOf(ctx);
  const customerId = await customerOf(ctx, payments, user);
  const { url } = await atProcessor(payments.portal({ customerId, returnUrl: `${ctx.config.baseUrl}/billing`, key: `portal:${newId('pck', ctx.clock())}` }));
  await act(ctx, 'billing.portal', requireUser, async () => done({ user: user.user_id }, {}));
  return { url, test_money: payments.testMoney };
}
