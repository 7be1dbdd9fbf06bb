// Credits of an account, and what was paid in.
import { Option } from 'clipanion';
import { changeInDollars, dollars, micros } from '../lib/dollars.ts';
import { UsageError } from '../lib/errors.ts';
import { command } from '../lib/command.ts';
import { openBrowser } from '../login/browser.ts';
import { table } from '../lib/output.ts';

const MOST_DOLLARS = 100_000;

const cents = (amount: number): string => dollars(amount * 10_000);

export const commands = [
  command('credits get', {
    about: 'show your credits and the entries that they add up from',
    examples: [
      ['The balance and the last entries', 'svc credits get'],
      ['More of them', 'svc credits get --limit 100'],
    ],
    options: () => ({ limit: Option.String('--limit', '20', { description: 'how many entries, at most 200' }) }),
    route: 'credits.wallet',
    send: ({ limit }) => ({ query: { limit: Number(limit) } }),
    lines: ({ items }) => {
      const rows = items.map((one) => [
        one.at.slice(0, 16).replace('T', ' '),
        one.kind,
        changeInDollars(one.amount_micros),
        dollars(one.after_micros),
        Object.values(one.refs)[0] ?? '-',
      ]);
      return rows.length === 0 ? [] : table(['WHEN', 'KIND', 'AMOUNT', 'BALANCE', 'OF'], rows);
    },
    hint: ({ balance_micros, held_micros, blocked, owed_micros, items }) => {
      const reservedNote = held_micros > 0 ? `, of which ${dollars(held_micros)} are held for calls under way` : '';
      const next = blocked
        ? `\n${dollars(owed_micros)} are owed: a payment was taken back after it was spent. Pay with: svc credits buy`
        : items.length === 0
          ? '\nAdd some with: svc credits buy 20'
          : '';
      return `${dollars(balance_micros)} in credits${reservedNote}.${next}`;
    },
  }),
  command('credits buy', {
    about: 'pay in credits: opens the page where you pay',
    details: 'A credit is worth one US dollar. The credits are added when the payment processor reports the payment.',
    examples: [
      ['20 dollars', 'svc credits buy 20'],
      ['Print only the address', 'svc credits buy 20 --print'],
    ],
    arguments: { dollars: 'DOLLARS' },
    options: () => ({ print: Option.Boolean('--print', false, { description: 'print the address and open nothing' }) }),
    route: 'credits.checkout',
    send: ({ dollars: typed }) => {
      const amount = micros('DOLLARS', typed, MOST_DOLLARS);
      if (amount % 10_000 !== 0 || amount === 0) throw new UsageError(`DOLLARS must be above 0, with at most two digits after a point, not "${typed}".`);
      return { body: { amount_cents: amount / 10_000 } };
    },
    lines: ({ url }) => [url],
    hint: ({ test_money }) =>
      `${test_money ? 'This installation takes test money: no real money moves.\n' : ''}Pay on that page; then look with: svc credits get`,
    after: async ({ url }, { print, json }) => {
      if (!print && !json) await openBrowser(new URL(url));
    },
  }),
  command('credits top-ups', {
    about: 'list what you paid in',
    examples: [['The newest 50', 'svc credits top-ups']],
    route: 'credits.topUps',
    send: () => ({ query: { limit: 50 } }),
    json: ({ items }) => items,
    columns: {
      DAY: ({ created_at }) => created_at.slice(0, 10),
      STATE: ({ state }) => state,
      CREDITS: ({ amount_cents }) => cents(amount_cents),
      TAX: ({ tax_cents }) => cents(tax_cents),
      'TAKEN BACK': ({ taken_back_micros }) => (taken_back_micros > 0 ? dollars(taken_back_micros) : '-'),
      'TOP-UP': ({ top_up_id }) => top_up_id,
    },
    empty: () => 'No payments yet. Add credits with: svc credits buy 20',
  }),
];
