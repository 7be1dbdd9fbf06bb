// Money: models, the ledger, prices and charges, plans and invoices, payouts.
import { migrationOf } from '../parts.ts';
import { billing } from './money/billing.ts';
import { bounties } from './money/bounties.ts';
import { charges } from './money/charges.ts';
import { ledger } from './money/ledger.ts';
import { models } from './money/models.ts';
import { payoutBooks } from './money/payout-books.ts';
import { payouts } from './money/payouts.ts';
import { testMoney } from './money/test-money.ts';

export const { up, down } = migrationOf(models, ledger, charges, bounties, billing, testMoney, payoutBooks, payouts);
