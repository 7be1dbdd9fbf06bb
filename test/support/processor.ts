// The part of a payment processor that pays creators, in memory: it remembers keys, refuses what a real one
// refuses, and can break off before or after it has done what was asked.
import { type ConnectedAccount, type Transfer, type TransferRequest } from '#drivers/payments/payouts-port.ts';
import { type Payments, PaymentsFailed } from '#drivers/payments/port.ts';
import { uuidv7 } from '#core/kernel/ids.ts';

export interface TestProcessor {
  payments: Payments;
  transfers: Transfer[];
  /** Of the request of each key. */
  requests: Map<string, number>;
  /** The person has said who they are, to the account of ours with this id. */
  enable(accountId: string): void;
  /** Transfers to it are refused from now on, or taken again. */
  refuse(accountId: string, refuses: boolean): void;
  /** Asked before each transfer: where it breaks off. */
  breaks: (request: TransferRequest) => 'before' | 'after' | undefined;
}

const made = new WeakMap<Payments, TestProcessor>();

/** Undefined: it is another one. */
export const processorOf = (payments: Payments): TestProcessor | undefined => made.get(payments);

export function testProcessor(): TestProcessor {
  const accounts = new Map<string, ConnectedAccount>();
  const refusing = new Set<string>();
  const done = new Map<string, Transfer>();
  const unreachable = (): PaymentsFailed => new PaymentsFailed('it was not reached', { retry: true, code: 'unreachable' });
  const byReference = (id: string): ConnectedAccount => {
    const found = accounts.get(`acct_${id}`);
    if (!found) throw new PaymentsFailed('there is no such account', { retry: false, code: 'not_found' });
    return found;
  };
  const self: TestProcessor = {
    transfers: [],
    requests: new Map(),
    breaks: () => undefined,
    enable: (accountId) => {
      const account = byReference(accountId);
      accounts.set(account.id, { ...account, detailsSubmitted: true, payoutsEnabled: true, requirements: [] });
    },
    refuse: (accountId, refuses) => void (refuses ? refusing.add(`acct_${accountId}`) : refusing.delete(`acct_${accountId}`)),
    payments: only({
      name: 'builtin',
      testMoney: true,
      createAccount: async ({ accountId, country }) => {
        const id = `acct_${accountId}`;
        const fresh = {
          id,
          reference: accountId,
          detailsSubmitted: false,
          payoutsEnabled: false,
          requirements: ['individual.id_number'],
          disabledReason: null,
        };
        const account = accounts.get(id) ?? { ...fresh, country: country ?? null };
        accounts.set(id, account);
        return account;
      },
      account: async (id) => {
        const found = accounts.get(id);
        if (!found) throw new PaymentsFailed('there is no such account', { retry: false, code: 'not_found' });
        return found;
      },
      accountLink: async ({ accountId }) => ({ url: `https://processor.example/${accountId}`, expiresAt: Date.now() + 300_000 }),
      transfer: async (request) => {
        const broken = self.breaks(request);
        self.requests.set(request.key, (self.requests.get(request.key) ?? 0) + 1);
        if (broken === 'before') throw unreachable();
        const known = done.get(request.key);
        if (known && (known.cents !== request.cents || known.destination !== request.destination))
          throw new PaymentsFailed('the key was used for another request', { retry: false, code: 'idempotency_error' });
        if (!known && refusing.has(request.destination)) throw new PaymentsFailed('the account cannot be paid', { retry: false, code: 'account_closed' });
        const { destination, cents, group, reference } = request;
        const transfer = known ?? { id: `tr_${uuidv7(Date.now())}`, destination, cents, reversedCents: 0, group, reference, createdAt: Date.now() };
        if (!known) self.transfers.push(transfer);
        done.set(request.key, transfer);
        if (broken === 'after') throw unreachable();
        return transfer;
      },
    }),
  };
  made.set(self.payments, self);
  return self;
}

// Safe: what is not given is a clear error on first use.
function only(given: Partial<Payments>): Payments {
  return new Proxy(given, {
    get: (target, name, receiver) => {
      const found: unknown = Reflect.get(target, name, receiver);
      if (found === undefined && typeof name === 'string' && name !== 'then') throw new Error(`this processor has no "${name}"`);
      return found;
    },
  }) as Payments;
}
