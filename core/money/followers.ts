// Who follows what at the processor.
import { followInvoice } from './billing/follow-invoice.ts';
import { followSubscription } from './billing/follow-subscription.ts';
import { followCheckout } from './billing/follow-checkout.ts';
import { followPayment } from './credits/follow-top-up.ts';
import { followPayoutAccount } from './payout/account/refresh.ts';
import { followTransfer } from './payout/run/follow-transfer.ts';
import type { ProcessorFollowers } from './processor/follow.ts';

export const processorFollowers: ProcessorFollowers = {
  checkout: followCheckout,
  payment: followPayment,
  subscription: followSubscription,
  invoice: followInvoice,
  connected_account: followPayoutAccount,
  transfer: followTransfer,
};
