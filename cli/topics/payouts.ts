// What creators earned, their account at the payment processor, and the runs that paid them.
import { Option } from 'clipanion';
import { inCurrency } from '#contract/money/dollars.ts';
import type { PayoutAccountOut } from '#contract/money/payouts.ts';
import { signedDollars } from '../lib/dollars.ts';
import { UsageError } from '../lib/errors.ts';
import { command } from '../lib/command.ts';
import { plain, table } from '../lib/output.ts';
import { commands as statements } from './payouts/statements.ts';

export const commands = [
  command('payouts earnings', {
    about: 'show what your agents earned, what you were paid and what you are owed',
    examples: [['All your agents', 'svc payouts earnings']],
    route: 'payouts.earnings',
    lines: (found) => {
      const facts: [string, number][] = [
        ['Made', found.made_micros],
        ['Paid', found.paid_micros],
        ['Held', found.held_micros],
        ['Owed', found.owed_micros],
        ['Given', found.given_micros],
      ];
      const agents = found.agents.map((one) => [
        one.agent ?? 'bounties',
        String(one.lines),
        signedDollars(one.made_micros),
        signedDollars(one.held_micros),
        signedDollars(one.net_micros),
      ]);
      return [
        ...facts.map(([name, amount]) => `${name.padEnd(7)}${signedDollars(amount)}`),
        ...(agents.length === 0 ? [] : ['', ...table(['AGENT', 'LINES', 'MADE', 'HELD', 'AFTER MODELS'], agents)]),
      ];
    },
    hint: ({ hold_days, minimum_micros }) =>
      `Held is due ${hold_days} days after the call, once your payout account is ready: svc payouts account. A run pays from ${signedDollars(minimum_micros)} on.`,
  }),
  command('payouts account', {
    about: 'show your account at the payment processor, where payouts go; --open makes it, or continues',
    examples: [
      ['Its state', 'svc payouts account'],
      ['Open it', 'svc payouts account --open --country DE'],
    ],
    options: () => ({
      open: Option.Boolean('--open', false, { description: 'print the address of a page where you enter your details' }),
      country: Option.String('--country', { description: 'where you are paid, two letters' }),
    }),
    route: ({ open }) => (open ? 'payouts.openAccount' : 'payouts.account'),
    send: ({ open, country }) => {
      if (country !== undefined && !/^[A-Z]{2}$/.test(country)) throw new UsageError(`--country must be two capital letters, e.g. DE, not "${country}".`);
      return open ? { body: country === undefined ? {} : { country } } : {};
    },
    lines: (found) =>
      'url' in found
        ? [found.url]
        : [
            `State   ${found.state}${found.test_money ? ' (test money: no real money moves)' : ''}`,
            ...(found.disabled_reason === null ? [] : [`Reason  ${plain(found.disabled_reason)}`]),
            ...found.requirements.map((one) => `Needs   ${plain(one)}`),
            ...(found.bank_payout === null ? [] : [bankLine(found.bank_payout)]),
          ],
    hint: (found) => {
      if ('url' in found) return 'Open the address in a browser, then look again: svc payouts account';
      return found.state === 'none' || found.state === 'incomplete' ? 'Continue with: svc payouts account --open' : undefined;
    },
  }),
  command('payouts runs', {
    about: 'list the runs that paid you, newest first',
    examples: [['The newest', 'svc payouts runs']],
    route: 'payouts.runs',
    send: () => ({ query: { limit: 100 } }),
    json: ({ items }) => items,
    columns: {
      RUN: ({ run_id }) => run_id,
      BEGAN: ({ created_at }) => created_at,
      AMOUNT: ({ amount_micros }) => signedDollars(amount_micros),
      'CAME BACK': ({ reversed_micros }) => (reversed_micros === 0 ? '' : signedDollars(reversed_micros)),
      LINES: ({ lines }) => String(lines),
      STATE: ({ transfer, error }) => (error ? `${transfer}: ${plain(error.message)}` : transfer),
    },
    empty: () => 'No run has paid you yet. What you are owed: svc payouts earnings',
    hint: ({ next_cursor }) => (next_cursor === null ? undefined : 'These are the newest 100.'),
  }),
  ...statements,
  command('payouts owed', {
    about: 'list what creators are owed; for operators',
    examples: [['All of them', 'svc payouts owed']],
    lookup: async (_, { client }) => ({ sums: await client.payoutsAdmin.metrics() }),
    route: 'payoutsAdmin.owed',
    send: () => ({ query: { limit: 200 } }),
    json: ({ items }, { sums }) => ({ ...sums, creators: items }),
    lines: ({ items }, { sums }) => {
      const rows = items.map((one) => [
        one.user_id,
        plain(one.email),
        signedDollars(one.owed_micros),
        signedDollars(one.held_micros),
        one.payouts_enabled ? 'ready' : 'not ready',
        plain(one.last_error?.message ?? '-'),
      ]);
      return [
        `Owed ${signedDollars(sums.owed_micros)}, held ${signedDollars(sums.held_micros)}, sent ${signedDollars(sums.sent_micros)}`,
        ...(rows.length === 0 ? [] : ['', ...table(['CREATOR', 'EMAIL', 'OWED', 'HELD', 'ACCOUNT', 'LAST FAILURE'], rows)]),
      ];
    },
    hint: ({ next_cursor }) => (next_cursor === null ? undefined : 'These are the first 200.'),
  }),
  command('payouts settle', {
    about: 'start a run that pays creators; for operators',
    details: 'Without a creator it pays all creators who are owed the minimum; a named creator is paid any amount. Commands with the same --key start one run.',
    examples: [
      ['All creators', 'svc payouts settle'],
      ['One creator', 'svc payouts settle usr_…'],
    ],
    arguments: { creator: '[CREATOR]' },
    options: () => ({ key: Option.String('--key', { description: 'names the request, so that it can be repeated' }) }),
    route: 'payoutsAdmin.settle',
    send: ({ creator, key }) => ({ body: { ...(creator === undefined ? {} : { user_id: creator }), ...(key === undefined ? {} : { key }) } }),
    lines: ({ run_id }) => [run_id],
    hint: () => 'Its outcome: svc payouts owed',
  }),
];

function bankLine({ state, amount, currency, failure }: NonNullable<PayoutAccountOut['bank_payout']>): string {
  const why = failure ? `: ${plain(failure.message)}` : '';
  return `Bank    ${inCurrency(amount, currency)} ${state.replaceAll('_', ' ')}${why}`;
}
