// What an organization must prove: frameworks, decision records, how long contents are kept.
import { Option } from 'clipanion';
import { MAX_RETENTION_DAYS } from '#contract/orgs/compliance-limits.ts';
import { COMPLIANCE_FRAMEWORKS, type ControlState, DECISION_KINDS, DECISION_OUTCOMES } from '#contract/states.ts';
import { integer, oneOf } from '../lib/api-command.ts';
import { ComplianceExportCommand } from '../commands/compliance/export.ts';
import { EXIT } from '../lib/exit-codes.ts';
import { command } from '../lib/command.ts';
import { plain, table } from '../lib/output.ts';
import { agents } from './compliance/agents.ts';
import { record, verify } from './compliance/check.ts';

const WORDS: Record<ControlState, string> = { met: 'met', partly: 'partly', not_met: 'NOT met', not_applicable: '-' };

export const commands = [
  command('compliance status', {
    about: 'show what an organization meets of each framework, and what to do next',
    details: 'Ends with 1 with --strict while a control is not met.',
    examples: [
      ['All frameworks', 'svc compliance status acme'],
      ['In a pipeline', 'svc compliance status acme --strict'],
    ],
    arguments: { slug: 'SLUG' },
    options: () => ({ strict: Option.Boolean('--strict', false, { description: 'end with 1 while a control is not met' }) }),
    route: 'compliance.status',
    send: ({ slug }) => ({ params: { slug } }),
    lines: ({ frameworks, next_actions }) => [
      ...frameworks.flatMap(({ title, counts, controls }) => [
        `${title}: ${counts.met} met, ${counts.partly} partly, ${counts.not_met} not met, ${counts.not_applicable} not applicable`,
        ...table(
          ['CONTROL', 'STATE', 'ABOUT', 'WHY'],
          controls.map((one) => [one.reference, WORDS[one.state], one.title, plain(one.reason)]),
        ),
        '',
      ]),
      ...(next_actions.length === 0 ? ['Nothing is open.'] : ['Next:', ...next_actions.map((text) => `- ${plain(text)}`)]),
    ],
    exit: ({ frameworks }, { strict }) => (strict && frameworks.some(({ counts }) => counts.not_met > 0) ? EXIT.failure : EXIT.ok),
  }),
  command('compliance policy', {
    about: 'show or change which frameworks hold, how long contents are kept, and the legal hold',
    details: 'What no option names stays as it is.',
    examples: [
      ['Show it', 'svc compliance policy acme'],
      ['Hold to two frameworks, and keep contents for a year', 'svc compliance policy acme --framework eu_ai_act --framework iso_42001 --days 365'],
      ['Remove nothing from now on', 'svc compliance policy acme --hold "Case 12"'],
    ],
    arguments: { slug: 'SLUG' },
    options: () => ({
      frameworks: Option.Array('--framework', { description: `${COMPLIANCE_FRAMEWORKS.join(', ')}; may be given again` }),
      days: Option.String('--days', { description: 'days that contents are kept' }),
      hold: Option.String('--hold', { description: 'set a legal hold, with its reason' }),
      release: Option.Boolean('--release', false, { description: 'end the legal hold' }),
    }),
    lookup: async ({ slug, frameworks, days, hold, release }, { client }) => {
      if (frameworks === undefined && days === undefined && hold === undefined && !release) return { changed: undefined };
      const before = await client.compliance.policy({ params: { slug } });
      const changed = {
        frameworks: frameworks?.map((word) => oneOf('--framework', word, COMPLIANCE_FRAMEWORKS)) ?? before.frameworks,
        retention_days: days === undefined ? before.retention_days : integer('--days', days, { min: 1, max: MAX_RETENTION_DAYS }),
        legal_hold: hold !== undefined || (before.legal_hold && !release),
        hold_reason: hold ?? before.hold_reason,
        version: before.version,
      };
      return { changed };
    },
    route: ({ changed }) => (changed ? 'compliance.putPolicy' : 'compliance.policy'),
    send: ({ slug, changed }) => ({ params: { slug }, ...(changed && { body: changed }) }),
    lines: (policy) => [
      `Frameworks:  ${policy.frameworks.length === 0 ? 'none' : policy.frameworks.join(', ')}`,
      `Contents:    kept for ${policy.retention_days} days; receipts forever`,
      `Legal hold:  ${policy.legal_hold ? `yes${policy.hold_reason === '' ? '' : `: ${plain(policy.hold_reason)}`}` : 'no'}`,
      policy.version === 0 ? 'Not saved yet: these are the defaults, and nothing is removed by them.' : `Version ${policy.version}, of ${policy.updated_at}`,
    ],
  }),
  agents,
  command('compliance records list', {
    about: 'list what was decided in an organization: calls of its agents, authorizations, changes',
    examples: [
      ['The last fifty', 'svc compliance records list acme'],
      [
        'What rules and people refused in July',
        'svc compliance records list acme --kind authorization --outcome deny --from 2026-07-01T00:00:00Z --to 2026-08-01T00:00:00Z',
      ],
    ],
    arguments: { slug: 'SLUG' },
    options: () => ({
      kind: Option.String('--kind', { description: DECISION_KINDS.join(', ') }),
      outcome: Option.String('--outcome', { description: DECISION_OUTCOMES.join(', ') }),
      agent: Option.String('--agent', { description: 'only of this agent' }),
      from: Option.String('--from', { description: 'recorded at this time or later' }),
      to: Option.String('--to', { description: 'recorded before this time' }),
      limit: Option.String('--limit,-n', '50', { description: 'how many' }),
    }),
    lookup: ({ limit }) => ({ most: integer('--limit', limit, { min: 1, max: 100_000 }) }),
    route: 'compliance.records',
    send: ({ slug, kind, outcome, agent, from, to }) => ({
      params: { slug },
      query: {
        ...(kind !== undefined && { kind: oneOf('--kind', kind, DECISION_KINDS) }),
        ...(outcome !== undefined && { outcome: oneOf('--outcome', outcome, DECISION_OUTCOMES) }),
        ...(agent !== undefined && { agent }),
        ...(from !== undefined && { from }),
        ...(to !== undefined && { to }),
      },
    }),
    rows: ({ most }) => most,
    page: 200,
    json: ({ items }) => items,
    columns: {
      'RECORDED (UTC)': ({ recorded_at }) => recorded_at.slice(0, 19).replace('T', ' '),
      KIND: ({ kind }) => kind,
      AGENT: ({ agent }) => agent ?? '-',
      ACTION: ({ action }) => plain(action),
      OUTCOME: ({ outcome }) => outcome,
      BY: ({ actor }) => plain(actor.id ?? actor.kind),
      RECORD: ({ record_id }) => record_id,
    },
    empty: () => 'Nothing was decided.',
  }),
  record,
  ComplianceExportCommand,
  verify,
  command('compliance enforce', {
    about: 'remove contents that are older than the policy of an organization keeps them',
    details: 'Every night does the same. Receipts stay, and can be verified.',
    examples: [
      ['Preview what is removed', 'svc compliance enforce acme --dry-run'],
      ['Now', 'svc compliance enforce acme'],
    ],
    arguments: { slug: 'SLUG' },
    options: () => ({ dryRun: Option.Boolean('--dry-run', false, { description: 'only count' }) }),
    route: 'compliance.enforce',
    send: ({ slug, dryRun }) => ({ params: { slug }, body: { dry_run: dryRun } }),
    lines: ({ dry_run, before, purge_id, state, counts }) => {
      const rows = Object.entries(counts).map(([name, count]) => [name, String(count)]);
      const head = dry_run ? `Would go, of what ended before ${before}:` : `${purge_id} is ${state}: contents of what ended before ${before} go.`;
      return [head, ...(rows.length > 0 ? table(['TABLE', 'ROWS'], rows) : dry_run ? ['nothing'] : [])];
    },
    hint: ({ dry_run }, { slug }) => (dry_run ? undefined : `What went: svc compliance status ${slug} --json`),
  }),
];
