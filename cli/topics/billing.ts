import { BillingCancelCommand, BillingCheckoutCommand, BillingPortalCommand } from '../commands/billing/change.ts';
import { BillingCommand, BillingInvoicesCommand } from '../commands/billing/show.ts';

export const commands = [BillingCommand, BillingCheckoutCommand, BillingPortalCommand, BillingCancelCommand, BillingInvoicesCommand];
