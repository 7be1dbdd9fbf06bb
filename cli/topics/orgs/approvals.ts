// Who in an organization must approve what, and who votes for whom.
import { Option } from 'clipanion';
import { z } from 'zod';
import { ApprovalRule, type Approvers } from '#contract/orgs/approvals.ts';
import { integer } from '../../lib/api-command.ts';
import { CliError } from '../../lib/errors.ts';
import { readJsonFile } from '../../lib/json-file.ts';
import { type Answer, command } from '../../lib/command.ts';
import { plain, table } from '../../lib/output.ts';

const RuleFile = z.union([z.array(ApprovalRule), z.object({ rules: z.array(ApprovalRule) }).transform(({ rules }) => rules)]);

export const commands = [
  command('orgs approvals get', {
    about: 'show who must approve what the agents of an organization ask',
    details: 'The first rule that fits counts. Where none fits, one member who may decide does.',
    examples: [
      ['In words', 'svc orgs approvals get acme'],
      ['As a file to change', 'svc orgs approvals get acme --json > rules.json'],
    ],
    arguments: { slug: 'SLUG' },
    route: 'organizationApprovals.policy',
    send: ({ slug }) => ({ params: { slug } }),
    lines: (policy) => (policy.rules.length === 0 ? [] : [`Version ${policy.version}`, ...table(['RULE', 'WHEN', 'WHO', 'WITHIN', 'THEN'], rowsOf(policy))]),
    hint: ({ version }, { slug }) => (version === 0 ? `No rules yet. Write some in a file, then: svc orgs approvals set ${slug} rules.json` : undefined),
  }),
  command('orgs approvals set', {
    about: 'replace the rules of approval of an organization by those of a JSON file',
    details: 'A wait that is open keeps the rule it began with.',
    examples: [
      ['From a file', 'svc orgs approvals set acme rules.json'],
      ['Only if nobody else has changed them', 'svc orgs approvals set acme rules.json --if-version 3'],
    ],
    arguments: { slug: 'SLUG', file: 'FILE' },
    options: () => ({ ifVersion: Option.String('--if-version', { description: 'the version that these replace; another one is refused' }) }),
    route: 'organizationApprovals.setPolicy',
    send: async ({ slug, file, ifVersion }) => {
      const rules = RuleFile.safeParse(await readJsonFile(file, 'name a file of rules, as svc orgs approvals get --json prints them'));
      if (!rules.success) throw new CliError(`${file}: ${rules.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; ')}`);
      const version = ifVersion === undefined ? {} : { version: integer('--if-version', ifVersion, { min: 0, max: 999_999_999 }) };
      return { params: { slug }, body: { rules: rules.data, ...version } };
    },
    lines: ({ version, rules }) => [`Version ${version}, ${rules.length} rules.`],
  }),
  command('orgs delegations list', {
    about: 'show who votes for whom',
    examples: [['One organization', 'svc orgs delegations list acme']],
    arguments: { slug: 'SLUG' },
    route: 'organizationApprovals.delegations',
    send: ({ slug }) => ({ params: { slug } }),
    json: ({ items }) => items,
    columns: {
      DELEGATION: ({ delegation_id }) => delegation_id,
      FOR: ({ from }) => from.email ?? from.user_id,
      VOTES: ({ to }) => to.email ?? to.user_id,
      FROM: ({ starts_at }) => starts_at,
      UNTIL: ({ ends_at }) => ends_at,
      STATE: ({ state }) => state,
    },
  }),
  command('orgs delegations create', {
    about: 'let another member vote for you on approvals, for a time',
    examples: [
      ['Until a day', 'svc orgs delegations create acme ben@example.com --until 2027-01-10T08:00:00Z'],
      ['From a day on', 'svc orgs delegations create acme ben@example.com --from 2027-01-02T08:00:00Z --until 2027-01-10T08:00:00Z'],
    ],
    arguments: { slug: 'SLUG', member: 'MEMBER' },
    options: () => ({
      from: Option.String('--from', { description: 'when it begins (default: now)' }),
      until: Option.String('--until', { required: true, description: 'when it ends' }),
    }),
    route: 'organizationApprovals.delegate',
    send: ({ slug, member, from, until }) => ({
      params: { slug },
      body: { to: member, ends_at: until, ...(from !== undefined && { starts_at: from }) },
    }),
    lines: ({ to, ends_at, delegation_id }) => [`${to.email ?? to.user_id} votes for you until ${ends_at} (${delegation_id}).`],
  }),
  command('orgs delegations delete', {
    about: 'end a delegation of yours; as an admin: of anybody',
    examples: [['By its id', 'svc orgs delegations delete acme dlg_…']],
    arguments: { slug: 'SLUG', delegation: 'DELEGATION' },
    route: 'organizationApprovals.endDelegation',
    send: ({ slug, delegation }) => ({ params: { slug, delegation_id: delegation } }),
    json: (_, { delegation }) => ({ ended: delegation }),
    lines: () => ['Ended. Votes that were given under it stay.'],
  }),
];

function rowsOf({ rules, people: known }: Answer<'organizationApprovals.policy'>): string[][] {
  const who = (approvers: Approvers): string => {
    if ('role' in approvers) return `${approvers.need} of role ${approvers.role}`;
    const people = approvers.people.map((id) => known.find(({ user_id }) => user_id === id)?.email ?? id).join(', ');
    return approvers.need === undefined ? `all of ${people}` : `${approvers.need} of ${people}`;
  };
  const rows = rules.map((rule) => [
    rule.name,
    Object.entries(rule.when)
      .map(([what, value]) => `${what.replaceAll('_', ' ')}: ${[value].flat().join(', ')}`)
      .join('; ') || 'anything',
    who(rule.approvers),
    `${rule.deadline_seconds} s`,
    rule.escalate ? `${who(rule.escalate.approvers)}, ${rule.escalate.deadline_seconds} s` : 'denied',
  ]);
  return rows.map((row) => row.map(plain));
}
