// Teams of agents: how they can work, their runs, and what those taught.
import { Option } from 'clipanion';
import { integer } from '../lib/api-command.ts';
import { command } from '../lib/command.ts';
import { plain } from '../lib/output.ts';
import { runLines } from '../teams/show.ts';
import { plan, start } from './team/work.ts';

const limitOption = (most: string) => Option.String('--limit,-n', most, { description: 'how many' });
const limitOf = (limit: string): number => integer('--limit', limit, { min: 1, max: 200 });
const share = (value: number): string => `${Math.round(value * 100)} %`;

export const commands = [
  command('team approve', {
    about: 'open the gates of a team that wait for you, or deny them',
    examples: [
      ['All that wait', 'svc team approve dag_01998a2c-6f0a-7cc2-9a3a-0c8f5a2f7e11'],
      ['Deny one', 'svc team approve dag_01998a2c-6f0a-7cc2-9a3a-0c8f5a2f7e11 --step 3 --deny "Not before Monday"'],
    ],
    arguments: { run: 'RUN' },
    options: () => ({
      step: Option.String('--step', { description: 'number of the step (default: every gate that waits)' }),
      deny: Option.String('--deny', { description: 'why it is denied' }),
    }),
    route: 'collectiveRuntime.approve',
    send: ({ run, step, deny }) => ({
      params: { dag_run_id: run },
      body: {
        ...(step !== undefined && { number: integer('--step', step, { min: 1, max: 64 }) }),
        ...(deny !== undefined && { decision: 'deny' as const, reason: deny }),
      },
    }),
    lines: (run, _, output) => runLines(run, output),
  }),
  command('team learn', {
    about: 'store the lessons of a team run, with its receipts',
    examples: [['A run that has ended', 'svc team learn dag_01998a2c-6f0a-7cc2-9a3a-0c8f5a2f7e11']],
    arguments: { run: 'RUN' },
    route: 'collectiveRuntime.extract',
    send: ({ run }) => ({ body: { dag_run_id: run } }),
    json: ({ items }) => items,
    lines: ({ items }) => items.map(({ kind, text, sources }) => `${kind}: ${plain(text)}${sources.length === 0 ? ' (no source)' : ''}`),
  }),
  command('team memories', {
    about: 'list what finished work taught, newest first',
    examples: [['The last twenty', 'svc team memories']],
    options: () => ({ limit: limitOption('20') }),
    route: 'collectiveRuntime.memories',
    send: ({ limit }) => ({ query: { limit: limitOf(limit) } }),
    json: ({ items }) => items,
    columns: {
      KIND: ({ kind }) => kind,
      WHAT: ({ text }) => plain(text),
      SOURCE: ({ sources }) => sources[0] ?? 'no source',
    },
  }),
  plan,
  command('team protocols', {
    about: 'list how teams can work',
    examples: [['All', 'svc team protocols']],
    route: 'collectiveRuntime.protocols',
    json: ({ items }) => items,
    columns: {
      PROTOCOL: ({ protocol }) => protocol,
      ROLES: ({ roles }) => roles.map(({ role }) => role).join(', '),
      'HOW IT WORKS': ({ about }) => about,
    },
  }),
  command('team list', {
    about: 'list runs of your teams, newest first',
    examples: [['The last twenty', 'svc team list']],
    options: () => ({ limit: limitOption('20') }),
    route: 'collectiveRuntime.runs',
    send: ({ limit }) => ({ query: { limit: limitOf(limit) } }),
    json: ({ items }) => items,
    columns: {
      RUN: ({ dag_run_id }) => dag_run_id,
      STATE: ({ state }) => state,
      PROTOCOL: ({ protocol }) => protocol,
      GOAL: ({ goal }) => plain(goal),
    },
    empty: () => 'None. Plan a team with: svc team plan GOAL --protocol research_parallel_scouts',
  }),
  command('team scorecards', {
    about: 'show scorecards of the agents that may get work',
    examples: [['Your own, installed ones, and those you have called', 'svc team scorecards']],
    options: () => ({ limit: limitOption('50') }),
    route: 'collectiveRuntime.scorecards',
    send: ({ limit }) => ({ query: { limit: limitOf(limit) } }),
    json: ({ items }) => items,
    columns: {
      AGENT: ({ agent }) => agent,
      ROUTING: ({ routing_state }) => routing_state,
      GOOD: ({ mean, low, high }) => `${share(mean)} (${share(low)} to ${share(high)})`,
      CALLS: ({ calls }) => `${calls}`,
      WHY: ({ reason }) => plain(reason),
    },
  }),
  command('team get', {
    about: 'show a run of a team: steps, gates, spending, evidence',
    examples: [['One', 'svc team get dag_01998a2c-6f0a-7cc2-9a3a-0c8f5a2f7e11']],
    arguments: { run: 'RUN' },
    route: 'collectiveRuntime.run',
    send: ({ run }) => ({ params: { dag_run_id: run } }),
    lines: (run, _, output) => runLines(run, output),
  }),
  start,
];
