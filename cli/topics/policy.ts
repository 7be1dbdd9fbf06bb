// What an account allows: its policy, the rules that it wrote, and what they decided.
import { Option } from 'clipanion';
import type { PolicyDecisionOut } from '#contract/policy/policy-rules.ts';
import { POLICY_ACTIONS, POLICY_OUTCOMES } from '#contract/states.ts';
import { integer, oneOf } from '../lib/api-command.ts';
import { change, policyRows } from '../commands/policy/value.ts';
import { UsageError } from '../lib/errors.ts';
import { type Answer, command } from '../lib/command.ts';
import { type Output, plain, table } from '../lib/output.ts';
import { commands as ruleFiles } from './policy/rule-files.ts';

type Rules = Answer<'policy.rules'>;
type Control = Answer<'controlRoom.get'>;

function ruleLines({ version, policies, default_outcome, record_allowed }: Rules): string[] {
  if (version === 0) return [];
  const recordedDecisions = record_allowed ? 'all decisions' : 'denials and questions';
  const facts = [`Version ${version}, ${policies.length} policies; where none matches: ${default_outcome}; kept: ${recordedDecisions}.`];
  const rows = policies.map(({ name, text }) => [name, plain(firstLine(text))]);
  return rows.length === 0 ? facts : [...facts, ...table(['POLICY', 'TEXT'], rows)];
}

/** Without comments and annotations. */
function firstLine(text: string): string {
  return text
    .replaceAll(/^\s*\/\/[^\n]*\n/gm, '')
    .replace(/^(?:\s*@\w+(?:\("[^"]*"\))?)*/, '')
    .replaceAll(/\s+/g, ' ')
    .trim();
}

function ruleNotes({ broken, version }: Rules, output: Output): string[] {
  return [
    ...(broken === null ? [] : [output.bad(broken)]),
    ...(version === 0 ? ['Your account has no rules. Write some in a file, then: svc policy rules push FILE'] : []),
  ];
}

function policyLines({ policy, changes }: Control): string[] {
  const changed = (one: Control['changes'][number]): string => one.changed.map(({ member, loosened }) => (loosened ? `${member} (weaker)` : member)).join(', ');
  return [
    policy.set ? `Version ${policy.version}, in force since ${policy.changed_at ?? ''}` : 'No limits are active. These are the defaults:',
    '',
    ...table(['MEMBER', 'VALUE'], policyRows(policy)),
    ...(policy.machines_pending > 0 ? ['', `${policy.machines_pending} machines do not have the newest setting for outside access yet.`] : []),
    ...(changes.length === 0 ? [] : ['', 'The last changes:', ...changes.map((one) => `  ${one.at}  version ${one.version}: ${changed(one)}`)]),
  ];
}

const who = ({ agent, principal }: PolicyDecisionOut): string => plain(agent ?? `${principal.type} ${principal.id}`);

export const commands = [
  command('policy rules get', {
    about: 'show which rules your account has, in which version',
    examples: [['The rules and their last versions', 'svc policy rules get']],
    route: 'policy.rules',
    send: () => ({ query: {} }),
    lines: ruleLines,
    hint: (rules, _, output) => ruleNotes(rules, output).join('\n') || undefined,
  }),
  ...ruleFiles,
  command('policy decisions', {
    about: 'list what the rules of your account decided, newest first',
    examples: [
      ['The last fifty', 'svc policy decisions'],
      ['Denied decisions', 'svc policy decisions --outcome deny'],
      ['Connections to other hosts, as JSON', 'svc policy decisions --action egress --json'],
    ],
    options: () => ({
      outcome: Option.String('--outcome', { description: POLICY_OUTCOMES.join(', ') }),
      action: Option.String('--action', { description: POLICY_ACTIONS.join(', ') }),
      limit: Option.String('--limit,-n', '50', { description: 'how many' }),
    }),
    route: 'policy.decisions',
    send: ({ outcome, action, limit }) => {
      integer('--limit', limit, { min: 1, max: 100_000 });
      return {
        query: {
          ...(outcome !== undefined && { outcome: oneOf('--outcome', outcome, POLICY_OUTCOMES) }),
          ...(action !== undefined && { action: oneOf('--action', action, POLICY_ACTIONS) }),
        },
      };
    },
    rows: ({ limit }) => Number(limit),
    page: 200,
    json: ({ items }) => items,
    columns: {
      'DECIDED (UTC)': ({ decided_at }) => decided_at.slice(0, 19).replace('T', ' '),
      OUTCOME: ({ outcome }) => outcome,
      ACTION: ({ action }) => action,
      WHO: who,
      WHAT: ({ resource }) => plain(`${resource.type} ${resource.id}`),
      BY: ({ reasons }) => plain(reasons.join(', ')),
      DECISION: ({ decision_id }) => decision_id,
    },
    empty: () => 'No decisions are kept. See: svc policy rules get',
    hint: ({ items, next_cursor }, { limit }) => (items.length > 0 && next_cursor ? `There are more: --limit ${Number(limit) * 10}` : undefined),
  }),
  command('policy get', {
    about: 'show what your account allows: for runs that work for it, and for runs of its agents',
    details: 'Until you set something the defaults are shown, and nothing is refused. What was refused: svc policy denials.',
    examples: [['As a table', 'svc policy get']],
    route: 'controlRoom.get',
    send: () => ({ query: { receipts: 0, denials: 0 } }),
    json: ({ policy }) => policy,
    lines: policyLines,
    hint: (_answer, _given, { json }) => (json ? undefined : 'Change it with: svc policy set MEMBER=VALUE …'),
  }),
  command('policy set', {
    about: 'change what your account lets runs do',
    details:
      'Options that you leave out keep their values. The first change puts the whole policy in force, with its defaults. Budgets are in cents; "none" removes a daily budget. The command lists the changes that make the policy weaker.',
    examples: [
      ['At most five dollars on a day, and four calls of agents in a run', 'svc policy set daily_budget_cents=500 max_agent_calls_per_run=4'],
      ['Only two agents, and no network', 'svc policy set only_approved_agents=true approved_agents=text-kit,librarian deny_external_network=true'],
    ],
    arguments: { changes: 'MEMBER=VALUE...' },
    options: () => ({ version: Option.String('--version', { description: 'refuse when the policy has another version by now' }) }),
    route: 'controlRoom.setPolicy',
    send: ({ changes, version }) => {
      const body = Object.assign({}, ...changes.map(change));
      if (Object.keys(body).length < changes.length) throw new UsageError('Name each member once.');
      return { body: { ...body, ...(version !== undefined && { version: integer('--version', version, { min: 0, max: 2_147_483_647 }) }) } };
    },
    lines: (policy) => table(['MEMBER', 'VALUE'], policyRows(policy)),
    hint: ({ loosened, machines_pending }) =>
      [
        ...(loosened.length > 0 ? [`Weaker than before: ${loosened.join(', ')}.`] : []),
        ...(machines_pending > 0 ? [`${machines_pending} machines get the change within seconds.`] : []),
      ].join('\n') || undefined,
  }),
  command('policy denials', {
    about: 'list what your policy refused, or asked you about, newest first',
    examples: [
      ['The last twenty', 'svc policy denials'],
      ['One run', 'svc policy denials --run run_01998a2c-6f0a-7cc2-9a3a-0c8f5a2f7e11'],
    ],
    options: () => ({
      agent: Option.String('--agent', { description: 'only of this agent' }),
      run: Option.String('--run', { description: 'only of this run' }),
      limit: Option.String('--limit', '20', { description: 'how many, 1 to 200' }),
    }),
    route: 'policy.denials',
    send: ({ agent, run, limit }) => ({
      query: {
        ...(agent !== undefined && { agent }),
        ...(run !== undefined && { run_id: run }),
        limit: integer('--limit', limit, { min: 1, max: 200 }),
      },
    }),
    columns: {
      AT: ({ last_at }) => last_at,
      WHAT: ({ outcome, action }) => `${outcome === 'deny' ? 'refused' : 'asked'}: ${action}`,
      OF: ({ resource }) => plain(resource),
      RULE: ({ rule }) => plain(rule),
      AGENT: ({ agent }) => agent ?? '',
      TIMES: ({ count }) => String(count),
    },
    empty: () => 'Nothing was refused.',
  }),
];
