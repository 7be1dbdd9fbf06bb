import { Command, Option } from 'clipanion';
import { ApiCommand, oneOf } from '../../command-base.ts';
import { plain, table } from '../../output.ts';

export class OrgsListCommand extends ApiCommand {
  static override paths = [['orgs'], ['orgs', 'list']];
  static override usage = Command.Usage({
    description: 'list the organizations of which you are a member',
    examples: [
      ['All', 'svc orgs'],
      ['Act for one', 'svc agents --org acme'],
    ],
  });

  json = Option.Boolean('--json', false, { description: 'print JSON' });

  async execute(): Promise<number> {
    const output = this.output(this.json);
    const { items } = await this.client().organizations.list({ query: { limit: 200 } });
    if (items.length === 0) output.hint('You are a member of none. Make one with: svc orgs create SLUG NAME');
    const rows = items.map(({ slug, role, members, name }) => [slug, role, String(members), plain(name)]);
    output.result(items, () => (items.length === 0 ? [] : table(['ORGANIZATION', 'ROLE', 'MEMBERS', 'NAME'], rows)));
    return 0;
  }
}

export class OrgsCreateCommand extends ApiCommand {
  static override paths = [['orgs', 'create']];
  static override usage = Command.Usage({ description: 'make an organization, and be its owner', examples: [['One', 'svc orgs create acme "Acme Ltd."']] });

  slug = Option.String({ name: 'SLUG' });
  label = Option.String({ name: 'NAME' });
  json = Option.Boolean('--json', false, { description: 'print JSON' });

  async execute(): Promise<number> {
    const made = await this.client().organizations.create({ body: { slug: this.slug, name: this.label } });
    const output = this.output(this.json);
    output.hint(`Invite people with: svc orgs invite ${made.slug} EMAIL ROLE. Act for it with --org ${made.slug}, or SVC_ORG=${made.slug}.`);
    output.result(made, [made.slug]);
    return 0;
  }
}

export class OrgsAutoJoinCommand extends ApiCommand {
  static override paths = [['orgs', 'auto-join']];
  static override usage = Command.Usage({
    description: 'say as what people of a verified domain may join: developer, auditor or none',
    examples: [['As auditors', 'svc orgs auto-join acme auditor']],
  });

  slug = Option.String({ name: 'SLUG' });
  role = Option.String({ name: 'ROLE' });
  json = Option.Boolean('--json', false, { description: 'print JSON' });

  async execute(): Promise<number> {
    const role = oneOf('ROLE', this.role, ['developer', 'auditor', 'none']);
    const body = { auto_join_role: role === 'none' ? null : role };
    const changed = await this.client().organizations.update({ params: { slug: this.slug }, body });
    this.output(this.json).result(changed, [role === 'none' ? 'People are invited.' : `People of its verified domains may join as ${role}.`]);
    return 0;
  }
}
