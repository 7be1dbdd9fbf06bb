// Bounties: agents that users want, and the rewards for them.
import { withoutMark } from '#contract/wire/byte-order-mark.ts';
import { Option } from 'clipanion';
import { BountyIn } from '#contract/money/bounties.ts';
import { dollars, micros } from '../lib/dollars.ts';
import { UsageError } from '../lib/errors.ts';
import { command } from '../lib/command.ts';
import { plain } from '../lib/output.ts';

const reward = ({ reward_micros }: { reward_micros: number }, none: string): string => (reward_micros === 0 ? none : dollars(reward_micros));

export const commands = [
  command('bounties list', {
    about: 'list open bounties: what people want agents for, and what they pay',
    examples: [
      ['Open bounties, and your own', 'svc bounties list'],
      ['Only your own, in every state', 'svc bounties list --mine'],
    ],
    options: () => ({
      mine: Option.Boolean('--mine', false, { description: 'only those that you posted or claimed' }),
      tag: Option.String('--tag', { description: 'only those with this tag' }),
    }),
    route: 'bounties.list',
    send: ({ mine, tag }) => ({ query: { limit: 100, mine, ...(tag === undefined ? {} : { tag }) } }),
    json: ({ items }) => items,
    columns: {
      BOUNTY: ({ slug }) => slug,
      STATE: ({ state }) => state,
      REWARD: (one) => reward(one, '-'),
      AGENT: ({ agent }) => agent ?? '-',
      TITLE: ({ title }) => plain(title),
    },
    empty: () => 'No bounties. Post one with: svc bounties create TITLE --description TEXT',
    hint: ({ next_cursor }) => (next_cursor === null ? undefined : 'These are the newest 100.'),
  }),
  command('bounties get', {
    about: 'show a bounty',
    examples: [['By its slug', 'svc bounties get read-invoices']],
    arguments: { slug: 'BOUNTY' },
    route: 'bounties.get',
    send: ({ slug }) => ({ params: { slug } }),
    lines: (bounty) => [
      plain(bounty.title),
      `State   ${bounty.state}`,
      `Reward  ${reward(bounty, 'none')}`,
      `Proof   ${bounty.require_proof ? 'required' : 'not required'}`,
      `Agent   ${bounty.agent ?? '-'}`,
      `Tags    ${bounty.tags.join(', ') || '-'}`,
      '',
      ...bounty.description.split('\n').map(plain),
      ...[['Input', bounty.example_input] as const, ['Output', bounty.example_output] as const].flatMap(([name, example]) =>
        example === null ? [] : ['', `${name}: ${plain(JSON.stringify(example))}`],
      ),
    ],
  }),
  command('bounties create', {
    about: 'offer a reward for an agent that you want',
    details: 'A reward is taken from your credits now. It is paid when you mark the bounty as fulfilled, and returned when you cancel it.',
    examples: [['With a reward', 'svc bounties create "Read invoices" --description "From photos." --reward 20 --tag invoices']],
    arguments: { title: 'TITLE' },
    options: () => ({
      description: Option.String('--description', { required: true, description: 'what it must do, as Markdown' }),
      reward: Option.String('--reward', '0', { description: 'credits, worth one dollar each' }),
      tags: Option.Array('--tag', [], { description: 'a tag; may be repeated' }),
      input: Option.String('--example-input', { description: 'JSON' }),
      result: Option.String('--example-output', { description: 'JSON' }),
      proof: Option.Boolean('--require-proof', false, { description: 'only an agent whose live version has passed a proof' }),
    }),
    route: 'bounties.post',
    send: ({ title, description, reward: amount, tags, input, result, proof }) => {
      const body = BountyIn.safeParse({
        title,
        description,
        reward_micros: micros('--reward', amount, 1_000_000),
        tags,
        require_proof: proof,
        ...(input !== undefined && { example_input: valueOf('--example-input', input) }),
        ...(result !== undefined && { example_output: valueOf('--example-output', result) }),
      });
      if (!body.success) throw new UsageError(body.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('\n'));
      return { body: body.data };
    },
    lines: ({ slug }) => [slug],
    hint: ({ slug }) => `Posted. Look at it with: svc bounties get ${slug}`,
  }),
  command('bounties claim', {
    about: 'claim an open bounty for a live, public agent of yours',
    examples: [['For one of yours', 'svc bounties claim read-invoices invoice-reader']],
    arguments: { slug: 'BOUNTY', agent: 'AGENT' },
    route: 'bounties.claim',
    send: ({ slug, agent }) => ({ params: { slug }, body: { agent } }),
    lines: (_, { agent }) => [`Claimed for ${agent}. Its poster decides when it is fulfilled.`],
  }),
  command('bounties fulfill', {
    about: 'accept the claimed agent as what you wanted; its owner gets the reward',
    examples: [['Your own', 'svc bounties fulfill read-invoices']],
    arguments: { slug: 'BOUNTY' },
    route: 'bounties.fulfill',
    send: ({ slug }) => ({ params: { slug } }),
    lines: ({ agent }) => [`Fulfilled by ${agent ?? 'its agent'}.`],
  }),
  command('bounties cancel', {
    about: 'cancel a bounty of yours; the reward is given back',
    examples: [['Your own', 'svc bounties cancel read-invoices']],
    arguments: { slug: 'BOUNTY' },
    route: 'bounties.cancel',
    send: ({ slug }) => ({ params: { slug } }),
    lines: () => ['Cancelled.'],
  }),
];

function valueOf(option: string, text: string): unknown {
  try {
    return JSON.parse(withoutMark(text));
  } catch {
    throw new UsageError(`${option} must be JSON, e.g. '{"total": 12.5}', not "${text}".`);
  }
}
