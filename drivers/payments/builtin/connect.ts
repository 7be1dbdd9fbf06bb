// Accounts of creators and transfers of test money.
import type { Knex } from 'knex';
import type { ConnectedAccounts } from '../payouts-port.ts';
import { refusedBy } from '../port.ts';
import { accountPages, type AccountPages, reverse } from './account-page.ts';
import { emit, find, keep, newObjectId, once } from './store.ts';

const LINK_MS = 15 * 60_000;

interface Place {
  db: Knex;
  baseUrl: string;
  clock: () => number;
}

export function testAccounts({ db, baseUrl, clock }: Place): ConnectedAccounts & AccountPages {
  return {
    createAccount: (of) =>
      once(db, of, clock(), async (tx) => {
        const asks = { detailsSubmitted: false, payoutsEnabled: false, requirements: ['individual.details'], disabledReason: null };
        const account = { id: newObjectId('account'), reference: of.accountId, ...asks, country: of.country ?? null };
        return keep(tx, 'account', of.accountId, account, clock());
      }),
    account: (id) => find(db, 'account', id),
    bankPayout: async (id) => (await find(db, 'account', id)).bankPayout ?? null,
    async accountLink({ accountId, returnUrl }) {
      await find(db, 'account', accountId);
      const url = `${baseUrl}/test-money/account/${accountId}?return=${encodeURIComponent(returnUrl)}`;
      return { url, expiresAt: clock() + LINK_MS };
    },
    transfer: (of) =>
      once(db, of, clock(), async (tx) => {
        const { payoutsEnabled, reference } = await find(tx, 'account', of.destination);
        if (!payoutsEnabled) throw refusedBy('insufficient_capabilities_for_transfer', 'The account takes no transfers yet');
        const made = { id: newObjectId('transfer'), destination: of.destination, cents: of.cents, reversedCents: 0 };
        const transfer = { ...made, group: of.group, reference: of.reference, createdAt: clock() };
        await emit(tx, 'transfer.created', { kind: 'transfer', id: made.id }, clock());
        return keep(tx, 'transfer', reference ?? '', transfer, clock());
      }),
    readTransfer: (id) => find(db, 'transfer', id),
    reverseTransfer: (of) => once(db, of, clock(), (tx) => reverse(tx, of, clock())),
    ...accountPages(db, clock),
  };
}
