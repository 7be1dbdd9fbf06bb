import type { billing } from '#contract/money/billing.ts';
import { cancelBilling } from '#core/money/billing/cancel.ts';
import { checkOutPlan } from '#core/money/billing/check-out.ts';
import { getBilling } from '#core/money/billing/get.ts';
import { listInvoices } from '#core/money/billing/invoices.ts';
import { openPortal } from '#core/money/billing/portal.ts';
import { processorFollowers } from '#core/money/followers.ts';
import { takeProcessorEvent } from '#core/money/processor/webhook.ts';
import type { Handlers } from '../../http/handlers.ts';

export const billingRoutes: Handlers<typeof billing> = {
  webhook: (ctx, { headers, body }) => takeProcessorEvent(ctx, { headers, body }, processorFollowers),
  get: (ctx) => getBilling(ctx),
  cancel: (ctx, { body }) => cancelBilling(ctx, body),
  checkout: (ctx, { body }) => checkOutPlan(ctx, body),
  invoices: (ctx, { query }) => listInvoices(ctx, query),
  portal: (ctx) => openPortal(ctx),
};
