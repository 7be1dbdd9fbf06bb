// What the account knows from finished work: shown, looked after, corrected.
import { Option } from 'clipanion';
import type { StatementOut } from '#contract/studio/company-brain.ts';
import { integer } from '../lib/api-command.ts';
import { CliError } from '../lib/errors.ts';
import { type Answer, command, type Row } from '../lib/command.ts';
import { plain, table } from '../lib/output.ts';

type Dispatches = Answer<'companyBrain.dispatches'>;
type Population = Answer<'companyBrain.population'>;
type Change = Answer<'companyBrain.status'>['changes'][number];

const counts = (of: Record<string, number>): string => Object.entries(of).map(([name, count]) => `${count} ${name.replaceAll('_', ' ')}`).join(', '); // prettier-ignore
const sourced = ({ text, sources }: StatementOut): string => `- ${plain(text)}${sources.length === 0 ? ' (no source)' : ` [${sources.join(', ')}]`}`;

function changeTable(changes: readonly Change[]): string[] {
  const rows = changes.map((one) => [one.change_id, one.undone_at === null ? one.kind : 'undone', plain(one.text), plain(one.reason)]);
  return rows.length === 0 ? [] : ['', ...table(['CHANGE', 'KIND', 'MEMORY', 'WHY'], rows)];
}

function queueTable({ items }: Dispatches): string[] {
  const row = (one: Row<Dispatches>): string[] => [one.dispatch_id, one.state, plain(one.goal), one.dag_run_id ?? plain(one.reason ?? '')];
  return items.length === 0 ? [] : table(['WORK', 'STATE', 'GOAL', 'RUN, OR WHY NOT'], items.map(row));
}

function staffLines({ agents, roles }: Population, { proposals }: Answer<'companyBrain.selection'>): string[] {
  const agentRows = agents.map((one) => [one.agent, one.routing_state, `${Math.round(one.low * 100)} %`, `${one.calls}`]);
  const proposalRows = proposals.map((one) => [one.agent, one.proposal, plain(one.reason)]);
  const unfilled = roles.filter(({ agents: able }) => able === 0).map(({ protocol, role }) => `${role} of ${protocol}`);
  return [
    ...table(['AGENT', 'ROUTING', 'AT LEAST', 'CALLS'], agentRows),
    '',
    ...table(['YOURS', 'PROPOSAL', 'WHY'], proposalRows),
    ...(unfilled.length === 0 ? [] : ['', `No agent for: ${unfilled.join(', ')}`]),
  ];
}

export const commands = [
  command('brain status', {
    about: 'show the memories of your account, their changes, and the waiting work',
    examples: [['Your account', 'svc brain status']],
    route: 'companyBrain.status',
    lines: ({ runtime, memories, without_source, dispatches, spent_today_micros, changes }, _, output) => {
      const [hour, most] = [String(runtime.daily_hour).padStart(2, '0'), (runtime.daily_budget_cents / 100).toFixed(2)];
      return [
        runtime.enabled
          ? `On: each night from ${hour}:00 ${runtime.time_zone}, at most $${most} a day`
          : output.advice('Off: switch it on with svc brain set --on'),
        `Memories: ${counts(memories)}; ${without_source} without a source`,
        `Work: ${counts(dispatches)}; spent today $${(spent_today_micros / 1e6).toFixed(4)}`,
        ...changeTable(changes),
      ];
    },
  }),
  command('brain feedback', {
    about: 'rate an agent as good or bad, or a memory as true or false',
    examples: [
      ['An agent', 'svc brain feedback invoice-reader good --note "Right every time"'],
      ['A memory', 'svc brain feedback tmm_01998a2c-6f0a-7cc2-9a3a-0c8f5a2f7e11 bad'],
    ],
    arguments: { what: 'AGENT_OR_MEMORY', verdict: 'VERDICT' },
    options: () => ({ note: Option.String('--note', '', { description: 'why' }) }),
    route: 'companyBrain.feedback',
    send: ({ what, verdict, note }) => {
      if (verdict !== 'good' && verdict !== 'bad') throw new CliError(`Give good or bad, not ${verdict}`);
      const rating = { good: verdict === 'good', note };
      return { body: what.startsWith('tmm_') ? { memory_id: what, ...rating } : { agent: what, ...rating } };
    },
    lines: () => ['Noted.'],
  }),
  command('brain night', {
    about: 'merge duplicates, list contradictions and age what is stale, now',
    examples: [['Without waiting for the night', 'svc brain night']],
    route: 'companyBrain.dream',
    lines: ({ looked_at, changes, contradictions }, _, output) => [
      `${looked_at} memories, ${changes.length} changed, ${contradictions.length} contradictions`,
      ...changes.map(({ change_id, kind, text }) => `${kind}: ${plain(text)} ${output.advice(`(svc brain undo ${change_id})`)}`),
      ...contradictions.map(({ about, one, other }) => `contradicts: ${plain(about)} (${one}, ${other})`),
    ],
  }),
  command('brain queue', {
    about: 'queue work for a team; list queued work',
    examples: [
      ['Queue work', 'svc brain queue "Update the guide of the harbour" --protocol docs_update'],
      ['List queued work', 'svc brain queue'],
    ],
    arguments: { goal: '[GOAL]' },
    options: () => ({ protocol: Option.String('--protocol', { description: 'how the team works (default: single_agent_task)' }) }),
    route: ({ goal }) => (goal === undefined ? 'companyBrain.dispatches' : 'companyBrain.dispatch'),
    send: ({ goal, protocol }) => {
      if (goal === undefined) return { query: { limit: 50 } };
      // Safe: the API knows its protocols, and says which there are.
      return { body: { goal, ...(protocol !== undefined && { protocol: protocol as 'docs_update' }) } };
    },
    json: (answer) => ('items' in answer ? answer.items : answer),
    lines: (answer) => ('items' in answer ? queueTable(answer) : [answer.dispatch_id]),
    hint: (answer) => ('items' in answer ? undefined : 'Give it to a team with: svc brain run'),
  }),
  command('brain run', {
    about: 'assign the oldest queued work to teams, within the daily budget',
    examples: [['The next three', 'svc brain run']],
    options: () => ({ limit: Option.String('--limit,-n', '3', { description: 'how many' }) }),
    route: 'companyBrain.runOnce',
    send: ({ limit }) => ({ body: { limit: integer('--limit', limit, { min: 1, max: 10 }) } }),
    json: ({ items }) => items,
    lines: ({ items }, _, output) =>
      items.map(({ dispatch_id, state, dag_run_id, reason }) => {
        const more = dag_run_id === null ? `: ${plain(reason ?? '')}` : output.advice(`: svc team get ${dag_run_id}`);
        return `${dispatch_id} ${state}${more}`;
      }),
    empty: () => 'Nothing was started: nothing waits, or the daily budget does not cover it (svc brain set --budget CENTS)',
  }),
  command('brain set', {
    about: 'switch the nightly work on or off, and set its time and budget',
    examples: [['Each night at four, teams for at most five dollars', 'svc brain set --on --hour 4 --zone Europe/Berlin --budget 500']],
    options: () => ({
      on: Option.Boolean('--on', { description: 'switch it on (--no-on: off)' }),
      hour: Option.String('--hour', { description: '0 to 23' }),
      zone: Option.String('--zone', { description: 'IANA name of the time zone' }),
      budget: Option.String('--budget', { description: 'US cents that teams may spend in a day; 0: no team starts automatically' }),
    }),
    route: 'companyBrain.runtime',
    send: ({ on, hour, zone, budget }) => ({
      body: {
        ...(on !== undefined && { enabled: on }),
        ...(hour !== undefined && { daily_hour: integer('--hour', hour, { min: 0, max: 23 }) }),
        ...(zone !== undefined && { time_zone: zone }),
        ...(budget !== undefined && { daily_budget_cents: integer('--budget', budget, { min: 0, max: 100_000 }) }),
      },
    }),
    lines: ({ enabled }) => [enabled ? 'On.' : 'Off.'],
  }),
  command('brain staff', {
    about: 'show the state of agents, and propose which of yours to keep, improve or retire',
    details: 'It only proposes, and changes nothing.',
    examples: [['Unused for a month', 'svc brain staff --unused-days 30']],
    options: () => ({
      unused: Option.String('--unused-days', '90', { description: 'days without a call after which retiring an agent is proposed' }),
    }),
    lookup: async (_, { client }) => ({ population: await client.companyBrain.population() }),
    route: 'companyBrain.selection',
    send: ({ unused }) => ({ body: { unused_days: integer('--unused-days', unused, { min: 7, max: 365 }) } }),
    json: (selection, { population }) => ({ population, selection }),
    lines: (selection, { population }) => staffLines(population, selection),
  }),
  command('brain townhall', {
    about: 'write the minutes: what was done and learnt, how agents stand, what waits for you',
    examples: [['Since the last ones', 'svc brain townhall']],
    route: 'companyBrain.townhall',
    lines: ({ sections }) => {
      const lines = sections.flatMap(({ title, statements }) => [`# ${title}`, ...statements.map(sourced), '']);
      return lines.length === 0 ? ['Nothing happened.'] : lines;
    },
  }),
  command('brain undo', {
    about: 'undo a change of a memory',
    examples: [['One', 'svc brain undo bch_01998a2c-6f0a-7cc2-9a3a-0c8f5a2f7e11']],
    arguments: { change: 'CHANGE' },
    route: 'companyBrain.undoChange',
    send: ({ change }) => ({ params: { change_id: change } }),
    lines: ({ text }) => [`Current again: ${plain(text)}`],
  }),
];
