// Who in an organization must approve what, and who votes for whom.
import { Command, Option } from 'clipanion';
import { ApprovalRule, type Approvers } from '#contract/orgs/approvals.ts';
import { z } from 'zod';
import { ApiCommand, integer } from '../../command-base.ts';
import { CliError } from '../../errors.ts';
import { readJsonFile } from '../../json-file.ts';
import { plain, table } from '../../output.ts';

const RuleFile = z.union([z.array(ApprovalRule), z.object({ rules: z.array(ApprovalRule) }).transform(({ rules }) => rules)]);

export class OrgsApprovalsCommand extends ApiCommand {
  static override paths = [['orgs', 'approvals']];
  static override usage = Command.Usage({
    description: 'show who must approve what the agents of an organization ask',
    details: 'The first rule that fits counts. Where none fits, one member who may decide does.',
    examples: [
      ['In words', 'svc orgs approvals acme'],
      ['As a file to change', 'svc orgs approvals acme --json > rules.json'],
    ],
  });

  slug = Option.String({ name: 'SLUG' });
  json = Option.Boolean('--json', false, { description: 'print JSON' });

  async execute(): Promise<number> {
    const policy = await this.client().organizationApprovals.policy({ params: { slug: this.slug } });
    const output = this.output(this.json);
    if (policy.version === 0) output.hint(`No rules yet. Write some in a file, then: svc orgs approvals push ${this.slug} rules.json`);
    const who = (approvers: Approvers): string => {
      if ('role' in approvers) return `${approvers.need} of role ${approvers.role}`;
      const people = approvers.people.map((id) => policy.people.find(({ user_id }) => user_id === id)?.email ?? id).join(', ');
      return approvers.need === undefined ? `all of ${people}` : `${approvers.need} of ${people}`;
    };
    const rows = policy.rules.map((rule) => [
      rule.name,
      Object.entries(rule.when)
        .map(([what, value]) => `${what.replaceAll('_', ' ')}: ${[value].flat().join(', ')}`)
        .join('; ') || 'anything',
      who(rule.approvers),
      `${rule.deadline_seconds} s`,
      rule.escalate ? `${who(rule.escalate.approvers)}, ${rule.escalate.deadline_seconds} s` : 'denied',
    ]);
    const cells = rows.map((row) => row.map(plain));
    output.result(policy, () => (rows.length === 0 ? [] : [`Version ${policy.version}`, ...table(['RULE', 'WHEN', 'WHO', 'WITHIN', 'THEN'], cells)]));
    return 0;
  }
}

export class OrgsApprovalsPushCommand extends ApiCommand {
  static override paths = [['orgs', 'approvals', 'push']];
  static override usage = Command.Usage({
    description: 'replace the rules of approval of an organization by those of a JSON file',
    details: 'A wait that is open keeps the rule it began with.',
    examples: [
      ['From a file', 'svc orgs approvals push acme rules.json'],
      ['Only if nobody else has changed them', 'svc orgs approvals push acme rules.json --if-version 3'],
    ],
  });

  slug = Option.String({ name: 'SLUG' });
  file = Option.String({ name: 'FILE' });
  ifVersion = Option.String('--if-version', { description: 'the version that these replace; another one is refused' });
  json = Option.Boolean('--json', false, { description: 'print JSON' });

  async execute(): Promise<number> {
    const rules = RuleFile.safeParse(await readJsonFile(this.file, 'name a file of rules, as svc orgs approvals --json prints them'));
    if (!rules.success) throw new CliError(`${this.file}: ${rules.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; ')}`);
    const version = this.ifVersion === undefined ? {} : { version: integer('--if-version', this.ifVersion, { min: 0, max: 999_999_999 }) };
    const policy = await this.client().organizationApprovals.setPolicy({ params: { slug: this.slug }, body: { rules: rules.data, ...version } });
    this.output(this.json).result(policy, [`Version ${policy.version}, ${policy.rules.length} rules.`]);
    return 0;
  }
}

export class OrgsDelegationsCommand extends ApiCommand {
  static override paths = [['orgs', 'delegations']];
  static override usage = Command.Usage({ description: 'show who votes for whom', examples: [['One organization', 'svc orgs delegations acme']] });

  slug = Option.String({ name: 'SLUG' });
  json = Option.Boolean('--json', false, { description: 'print JSON' });

  async execute(): Promise<number> {
    const { items } = await this.client().organizationApprovals.delegations({ params: { slug: this.slug } });
    const rows = items.map(({ delegation_id: id, from, to, starts_at: start, ends_at: end, state }) => [
      id,
      from.email ?? from.user_id,
      to.email ?? to.user_id,
      start,
      end,
      state,
    ]);
    this.output(this.json).result(items, () => (rows.length === 0 ? [] : table(['DELEGATION', 'FOR', 'VOTES', 'FROM', 'UNTIL', 'STATE'], rows)));
    return 0;
  }
}

export class OrgsDelegateCommand extends ApiCommand {
  static override paths = [['orgs', 'delegate']];
  static override usage = Command.Usage({
    description: 'let another member vote for you on approvals, for a time',
    examples: [
      ['Until a day', 'svc orgs delegate acme ben@example.com --until 2027-01-10T08:00:00Z'],
      ['From a day on', 'svc orgs delegate acme ben@example.com --from 2027-01-02T08:00:00Z --until 2027-01-10T08:00:00Z'],
    ],
  });

  slug = Option.String({ name: 'SLUG' });
  member = Option.String({ name: 'MEMBER' });
  from = Option.String('--from', { description: 'when it begins (default: now)' });
  until = Option.String('--until', { required: true, description: 'when it ends' });
  json = Option.Boolean('--json', false, { description: 'print JSON' });

  async execute(): Promise<number> {
    const body = { to: this.member, ends_at: this.until, ...(this.from !== undefined && { starts_at: this.from }) };
    const made = await this.client().organizationApprovals.delegate({ params: { slug: this.slug }, body });
    this.output(this.json).result(made, [`${made.to.email ?? made.to.user_id} votes for you until ${made.ends_at} (${made.delegation_id}).`]);
    return 0;
  }
}

export class OrgsEndDelegationCommand extends ApiCommand {
  static override paths = [['orgs', 'end-delegation']];
  static override usage = Command.Usage({
    description: 'end a delegation of yours; as an admin: of anybody',
    examples: [['By its id', 'svc orgs end-delegation acme dlg_…']],
  });

  slug = Option.String({ name: 'SLUG' });
  delegation = Option.String({ name: 'DELEGATION' });
  json = Option.Boolean('--json', false, { description: 'print JSON' });

  async execute(): Promise<number> {
    await this.client().organizationApprovals.endDelegation({ params: { slug: this.slug, delegation_id: this.delegation } });
    this.output(this.json).result({ ended: this.delegation }, ['Ended. Votes that were given under it stay.']);
    return 0;
  }
}
