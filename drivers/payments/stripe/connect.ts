import type Stripe from 'stripe';
import type { BankPayoutState } from '#contract/states.ts';
import type { BankPayout, ConnectedAccount, ConnectedAccounts, Transfer } from '../payouts-port.ts';
import { mapStripeErrors, idOf, ms } from './client.ts';

/**
 * Express accounts: Stripe asks who they are, and pays them out. Transfers are separate from charges, since
 * money is pooled as credits.
 */
export function stripeAccounts(client: Stripe): ConnectedAccounts {
  return {
    async createAccount({ accountId, email, country, key }) {
      const params: Stripe.AccountCreateParams = {
        type: 'express',
        capabilities: { transfers: { requested: true } },
        metadata: { reference: accountId },
        ...(email !== '' && { email }),
        ...(country !== undefined && { country }),
      };
      return accountOf(await mapStripeErrors(client.accounts.create(params, { idempotencyKey: key })));
    },
    account: async (id) => accountOf(await mapStripeErrors(client.accounts.retrieve(id))),
    async bankPayout(id) {
      const { data } = await mapStripeErrors(client.payouts.list({ limit: NEWEST }, { stripeAccount: id }));
      // One that reverses another is no payment of its own.
      const newest = data.find(({ original_payout }) => original_payout === null);
      return newest ? bankPayoutOf(newest) : null;
    },
    async accountLink({ accountId, returnUrl, refreshUrl, key }) {
      const params = { account: accountId, type: 'account_onboarding', return_url: returnUrl, refresh_url: refreshUrl } as const;
      const link = await mapStripeErrors(client.accountLinks.create(params, { idempotencyKey: key }));
      return { url: link.url, expiresAt: ms(link.expires_at) };
    },
    async transfer({ destination, cents, group, reference, key }) {
      const params = { destination, amount: cents, currency: 'usd', transfer_group: group, metadata: { reference } };
      return transferOf(await mapStripeErrors(client.transfers.create(params, { idempotencyKey: key })));
    },
    readTransfer: async (id) => transferOf(await mapStripeErrors(client.transfers.retrieve(id))),
    async reverseTransfer({ transferId, cents, key }) {
      const reversal = await mapStripeErrors(
        client.transfers.createReversal(transferId, cents === undefined ? {} : { amount: cents }, { idempotencyKey: key }),
      );
      return { id: reversal.id, transferId, cents: reversal.amount };
    },
  };
}

/** Newest first; few of them are reversals. */
const NEWEST = 5;

const BANK_STATES: Readonly<Record<string, BankPayoutState>> = { paid: 'paid', failed: 'failed', canceled: 'cancelled' };

function bankPayoutOf(p: Stripe.Payout): BankPayout {
  const failure = p.failure_code === null ? null : { code: p.failure_code, message: p.failure_message ?? p.failure_code };
  return { id: p.id, amount: p.amount, currency: p.currency, state: BANK_STATES[p.status] ?? 'on_its_way', failure, createdAt: ms(p.created) };
}

function accountOf(a: Stripe.Account): ConnectedAccount {
  return {
    id: a.id,
    reference: a.metadata?.['reference'] ?? null,
    detailsSubmitted: a.details_submitted,
    payoutsEnabled: a.payouts_enabled && a.capabilities?.transfers === 'active',
    requirements: a.requirements?.currently_due ?? [],
    disabledReason: a.requirements?.disabled_reason ?? null,
    country: a.country ?? null,
  };
}

function transferOf(t: Stripe.Transfer): Transfer {
  return {
    id: t.id,
    destination: idOf(t.destination) ?? '',
    cents: t.amount,
    reversedCents: t.amount_reversed,
    group: t.transfer_group,
    reference: t.metadata['reference'] ?? null,
    createdAt: ms(t.created),
  };
}
