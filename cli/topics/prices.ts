// What calls of the skills of an agent cost.
import { Option } from 'clipanion';
import { freeWords, priceWords } from '#contract/money/price-words.ts';
import { MAX_FREE_CALLS, SkillPriceIn } from '#contract/money/prices.ts';
import { integer } from '../lib/api-command.ts';
import { micros } from '../lib/dollars.ts';
import { UsageError } from '../lib/errors.ts';
import { command } from '../lib/command.ts';
import { agentName } from '../project/name.ts';

const MAX_DOLLARS = 10_000;

const minute = (at: string): string => at.slice(0, 16).replace('T', ' ');

export const commands = [
  command('prices list', {
    about: 'list what calls of the skills of an agent cost',
    details: 'A skill that is not listed costs nothing. The owner of an agent pays nothing for its calls.',
    examples: [
      ['Another agent', 'svc prices list invoice-reader'],
      ['All versions, of the project in this folder', 'svc prices list --history'],
    ],
    arguments: { agent: '[AGENT]' },
    options: () => ({
      history: Option.Boolean('--history', false, { description: 'all versions, the newest of each skill first' }),
      skill: Option.String('--skill', { description: 'only of this skill' }),
    }),
    lookup: async ({ agent }) => ({ name: await agentName(agent, '.') }),
    route: 'prices.list',
    send: ({ name, history, skill }) => ({ params: { name }, query: { limit: 200, history, ...(skill === undefined ? {} : { skill }) } }),
    json: ({ items }) => items,
    columns: {
      SKILL: ({ skill }) => skill,
      VERSION: ({ version }) => String(version),
      COSTS: priceWords,
      FREE: (price) => freeWords(price) || '-',
      'VALID (UTC)': ({ valid_from, valid_until }) => `${minute(valid_from)} to ${valid_until === null ? 'now' : minute(valid_until)}`,
    },
    empty: ({ name }) => `Calls of ${name} cost nothing.`,
    hint: ({ next_cursor }) => (next_cursor === null ? undefined : 'These are the first 200: name a skill with --skill.'),
  }),
  command('prices set', {
    about: 'set what calls of a skill of your agent cost from now on',
    details:
      'A caller pays for calls that succeed. The maximum cost is held before a call starts, so --max is needed where more than the call itself is charged. Calls in progress keep the old price.',
    examples: [
      ['Two cents a call, the first five free', 'svc prices set invoice-reader read --call 0.02 --free 5'],
      ['By time and tokens', 'svc prices set invoice-reader read --second 0.001 --token 0.00001 --max 0.50'],
    ],
    arguments: { agent: 'AGENT', skill: 'SKILL' },
    options: () => ({
      call: Option.String('--call', '0', { description: 'dollars of a call' }),
      second: Option.String('--second', '0', { description: 'dollars of each second that it takes' }),
      token: Option.String('--token', '0', { description: 'dollars of each token of language models, except on a credential of who pays' }),
      artifact: Option.String('--artifact', '0', { description: 'dollars of each artifact that it makes' }),
      max: Option.String('--max', { description: 'the most that a call costs, in dollars; default: as much as --call' }),
      free: Option.String('--free', '0', { description: 'calls that each account may make before it pays' }),
    }),
    route: 'prices.put',
    send: ({ agent, skill, call, second, token, artifact, max, free }) => {
      const body = SkillPriceIn.safeParse({
        call_micros: micros('--call', call, MAX_DOLLARS),
        second_micros: micros('--second', second, MAX_DOLLARS),
        token_micros: micros('--token', token, MAX_DOLLARS),
        artifact_micros: micros('--artifact', artifact, MAX_DOLLARS),
        ...(max !== undefined && { max_micros: micros('--max', max, MAX_DOLLARS) }),
        free_calls: integer('--free', free, { min: 0, max: MAX_FREE_CALLS }),
      });
      if (!body.success) throw new UsageError(body.error.issues.map(({ path, message }) => `--${optionOf(path)}: ${message}`).join('\n'));
      return { params: { name: agent, skill }, body: body.data };
    },
    lines: (price, { agent, skill }) => {
      const free = freeWords(price);
      return [`${agent}.${skill} costs ${priceWords(price)} from now on.${free === '' ? '' : ` ${free}`}`];
    },
  }),
  command('prices delete', {
    about: 'let calls of a skill of your agent cost nothing from now on',
    examples: [['One skill', 'svc prices delete invoice-reader read']],
    arguments: { agent: 'AGENT', skill: 'SKILL' },
    route: 'prices.end',
    send: ({ agent, skill }) => ({ params: { name: agent, skill } }),
    json: (_, { agent, skill }) => ({ agent, skill }),
    lines: (_, { agent, skill }) => [`${agent}.${skill} costs nothing from now on.`],
  }),
];

function optionOf(path: readonly PropertyKey[]): string {
  return String(path[0] ?? 'call')
    .replace('_micros', '')
    .replace('_calls', '');
}
