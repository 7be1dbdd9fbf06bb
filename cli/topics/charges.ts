// What an account paid for calls.
import { Option } from 'clipanion';
import { integer } from '../lib/api-command.ts';
import { dollars } from '../lib/dollars.ts';
import { command } from '../lib/command.ts';

export const commands = [
  command('charges', {
    about: 'list what you paid for calls of skills that have a price, newest first',
    examples: [
      ['The newest 50', 'svc charges'],
      ['One agent', 'svc charges --agent invoice-reader --limit 200'],
    ],
    options: () => ({
      agent: Option.String('--agent', { description: 'only of this agent' }),
      limit: Option.String('--limit,-n', '50', { description: 'how many' }),
    }),
    route: 'charges.list',
    send: ({ agent, limit }) => ({ query: { limit: integer('--limit', limit, { min: 1, max: 200 }), ...(agent === undefined ? {} : { agent }) } }),
    json: ({ items }) => items,
    columns: {
      'BEGAN (UTC)': ({ started_at }) => started_at.slice(0, 19).replace('T', ' '),
      CALL: ({ agent, skill }) => `${agent ?? '-'}.${skill}`,
      STATE: ({ free, state }) => (free ? 'free' : state),
      COST: ({ amount_micros, held_micros }) => (amount_micros === null ? `up to ${dollars(held_micros)}` : dollars(amount_micros)),
      RECEIPT: ({ receipt_id }) => receipt_id ?? '-',
    },
    empty: () => 'You have paid for no calls.',
  }),
];
