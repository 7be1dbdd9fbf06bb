// The daily look at your agents: whether and when it is made, what it proposes, and what you decide about it.
import { Option } from 'clipanion';
import { PROPOSAL_STATES, STUDIO_REVIEWS } from '#contract/states.ts';
import type { AutopilotOut } from '#contract/studio/autopilot.ts';
import { integer, oneOf } from '../lib/api-command.ts';
import { UsageError } from '../lib/errors.ts';
import { command } from '../lib/command.ts';
import { plain } from '../lib/output.ts';
import { modelIn } from '../studio/model-words.ts';
import { proposalLines, proposalRows } from '../studio/proposals.ts';

const EXAMPLE = 'prp_01998a2c-6f0a-7cc2-9a3a-0c8f5a2f7e11';

const reasonOption = () => Option.String('--reason', '', { description: 'why; it is kept' });

function autopilotLines({ enabled, daily_hour, time_zone, last_day, open_proposals }: AutopilotOut): string[] {
  return [
    enabled ? `On: each day from ${String(daily_hour).padStart(2, '0')}:00 ${time_zone}` : 'Off: switch it on with svc autopilot enable',
    `Last look: ${last_day ?? 'none yet'}`,
    `Open proposals: ${open_proposals}${open_proposals === 0 ? '' : ' (svc autopilot list)'}`,
  ];
}

export const commands = [
  command('autopilot status', {
    about: 'show whether your agents are checked each day',
    details: 'The look reads failures, cost, latency, dependencies and findings. It changes nothing: what it finds becomes a proposal, and you decide.',
    examples: [['Your account', 'svc autopilot status']],
    route: 'agentStudio.autopilot',
    lines: autopilotLines,
  }),
  command('autopilot enable', {
    about: 'check your agents each day',
    examples: [['From seven in the morning', 'svc autopilot enable --hour 7 --zone Europe/Berlin']],
    options: () => ({
      hour: Option.String('--hour', { description: '0 to 23 (default: unchanged, 9 at first)' }),
      zone: Option.String('--zone', { description: 'IANA name of the time zone (default: unchanged, UTC at first)' }),
    }),
    route: 'agentStudio.setAutopilot',
    send: async ({ hour, zone }, { client }) => {
      const now = await client.agentStudio.autopilot();
      const daily_hour = hour === undefined ? now.daily_hour : integer('--hour', hour, { min: 0, max: 23 });
      return { body: { enabled: true, daily_hour, time_zone: zone ?? now.time_zone } };
    },
    lines: autopilotLines,
  }),
  command('autopilot disable', {
    about: 'stop the daily look; proposals stay',
    examples: [['Off', 'svc autopilot disable']],
    route: 'agentStudio.setAutopilot',
    send: async (_, { client }) => {
      const { daily_hour, time_zone } = await client.agentStudio.autopilot();
      return { body: { enabled: false, daily_hour, time_zone } };
    },
    lines: autopilotLines,
  }),
  command('autopilot run', {
    about: 'check your agents now; it only proposes',
    examples: [['Without waiting for the hour', 'svc autopilot run']],
    route: 'agentStudio.lookNow',
    lines: ({ looked_at, created, expired }) => [
      `${looked_at} agents, ${created.length} new proposals, ${expired} expired`,
      ...proposalRows(created).map(plain),
    ],
  }),
  command('autopilot list', {
    about: 'list what the daily look proposes, newest first',
    examples: [
      ['The open ones', 'svc autopilot list'],
      ['All of one agent', 'svc autopilot list --state all --agent invoice-reader'],
    ],
    options: () => ({
      state: Option.String('--state', 'open', { description: `${PROPOSAL_STATES.join(', ')} or all` }),
      agent: Option.String('--agent', { description: 'only of this agent' }),
      limit: Option.String('--limit,-n', '50', { description: 'how many' }),
    }),
    route: 'agentStudio.proposals',
    send: ({ state, agent, limit }) => ({
      query: {
        state: oneOf('--state', state, [...PROPOSAL_STATES, 'all']),
        limit: integer('--limit', limit, { min: 1, max: 200 }),
        ...(agent !== undefined && { agent }),
      },
    }),
    json: ({ items }) => items,
    lines: ({ items }) => proposalRows(items),
    hint: ({ items }) => (items.length === 0 ? 'None. Look now with: svc autopilot run' : 'Read one with: svc autopilot get PROPOSAL'),
  }),
  command('autopilot get', {
    about: 'show a proposal with its evidence',
    examples: [['One', `svc autopilot get ${EXAMPLE}`]],
    arguments: { proposal: 'PROPOSAL' },
    route: 'agentStudio.proposal',
    send: ({ proposal }) => ({ params: { proposal_id: proposal } }),
    lines: (shown, _, output) => proposalLines(shown, output),
    hint: ({ state }, { proposal }) => (state === 'open' ? `Decide with: svc autopilot accept ${proposal}, or svc autopilot reject ${proposal}` : undefined),
  }),
  command('autopilot accept', {
    about: 'accept a proposal: you do it yourself, or with --carry-out a run of the studio edits the agent',
    details: 'It is refused once the source of the agent has changed: look again then.',
    examples: [
      ['You do it', `svc autopilot accept ${EXAMPLE}`],
      ['A language model of yours edits the agent, for three dollars at most', `svc autopilot accept ${EXAMPLE} --carry-out --model default --budget 300`],
    ],
    arguments: { proposal: 'PROPOSAL' },
    options: () => ({
      reason: reasonOption(),
      carryOut: Option.Boolean('--carry-out', false, { description: 'let a language model of yours edit the agent' }),
      budget: Option.String('--budget', '500', { description: 'cents that it may cost, 100 to 3000' }),
      model: Option.String('--model', { description: 'which (default: the default one of the credential)' }),
      credential: Option.String('--credential', { description: 'the model credential that is used (svc models)' }),
      review: Option.String('--review', 'standard', { description: `${STUDIO_REVIEWS.join(', ')}: how strictly it is reviewed` }),
    }),
    route: 'agentStudio.decide',
    send: ({ proposal, reason, carryOut, budget, model: named, credential, review }) => {
      const model = modelIn(named, credential);
      if (model !== undefined && !carryOut) throw new UsageError('A model is for --carry-out.');
      const carry_out = {
        budget_cents: integer('--budget', budget, { min: 100, max: 3000 }),
        review: oneOf('--review', review, STUDIO_REVIEWS),
        model: model ?? {},
      };
      return { params: { proposal_id: proposal }, body: { decision: 'accept' as const, reason, ...(carryOut && { carry_out }) } };
    },
    lines: () => ['Accepted.'],
    hint: ({ run_id }) => (run_id === null ? undefined : `It is being carried out. See it with: svc studio get ${run_id}`),
  }),
  command('autopilot reject', {
    about: 'reject a proposal',
    examples: [['With a word on why', `svc autopilot reject ${EXAMPLE} --reason "It is slow on purpose"`]],
    arguments: { proposal: 'PROPOSAL' },
    options: () => ({ reason: reasonOption() }),
    route: 'agentStudio.decide',
    send: ({ proposal, reason }) => ({ params: { proposal_id: proposal }, body: { decision: 'reject' as const, reason } }),
    lines: () => ['Rejected.'],
  }),
];
