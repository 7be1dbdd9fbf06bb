import { expect, test } from 'vitest';
import { Random } from './random.ts';
import { Book, entriesFault, splitMicros } from './ledger.ts';

test('whatever is posted, the accounts together hold nothing, and none is below zero that must not be', () => {
  const random = Random.of(3);
  const accounts = Array.from({ length: 6 }, (_, at) => at);
  const book = new Book(accounts, [0]);
  let refused = 0;
  for (let n = 0; n < 5_000; n += 1) {
    const [from, to, amount] = [random.below(6), random.below(6), random.between(-50, 400)];
    const before = accounts.map((account) => book.balance(account));
    const fault = book.post([
      { account: from, amount_micros: -amount },
      { account: to, amount_micros: amount - random.below(2) },
      { account: 0, amount_micros: random.below(2) },
    ]);
    if (fault !== undefined) {
      refused += 1;
      expect(accounts.map((account) => book.balance(account))).toEqual(before);
    }
    expect(book.total()).toBe(0);
    expect(book.overdrawn()).toBeUndefined();
  }
  expect(refused).toBeGreaterThan(500);
});

test('entries that make money, are no whole numbers, or are none, are refused', () => {
  expect(entriesFault([])).toBe('no_entries');
  expect(entriesFault([{ account: 'a', amount_micros: 1 }])).toBe('not_balanced');
  expect(entriesFault([{ account: 'a', amount_micros: 0.5 }])).toBe('not_integer');
  expect(entriesFault([{ account: 'a', amount_micros: Number.MAX_SAFE_INTEGER }, { account: 'b', amount_micros: 1 }])).toBe('out_of_range'); // prettier-ignore
  expect(new Book(['a'], ['a']).move('a', 'nobody', 1)).toBe('unknown_account');
});

test('a share and the rest are the amount, to the micro-credit, up to the largest', () => {
  const random = Random.of(9);
  for (let n = 0; n < 2_000; n += 1) {
    const [amount, permille] = [random.next() * random.between(1, 1_000_000), random.between(0, 1000)];
    const { share, rest } = splitMicros(amount, permille);
    expect(share + rest).toBe(amount);
    expect(share).toBe(Number((BigInt(amount) * BigInt(permille)) / 1000n));
  }
});
