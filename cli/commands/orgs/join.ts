import { Command, Option } from 'clipanion';
import { ApiCommand } from '../../command-base.ts';

export class OrgsAcceptCommand extends ApiCommand {
  static override paths = [['orgs', 'accept']];
  static override usage = Command.Usage({
    description: 'accept an invitation, signed in with the address that was invited',
    examples: [['By the link of the mail', 'svc orgs accept "https://svc.example.com/invitation#mem_…"']],
  });

  link = Option.String({ name: 'LINK' });
  json = Option.Boolean('--json', false, { description: 'print JSON' });

  async execute(): Promise<number> {
    const token = this.link.slice(this.link.indexOf('#') + 1);
    const joined = await this.client().organizations.acceptInvitation({ body: { token } });
    const output = this.output(this.json);
    output.hint(`Act for it with --org ${joined.slug}, or SVC_ORG=${joined.slug}.`);
    output.result(joined, [`You are ${joined.role} of ${joined.slug}.`]);
    return 0;
  }
}

export class OrgsJoinCommand extends ApiCommand {
  static override paths = [['orgs', 'join']];
  static override usage = Command.Usage({
    description: 'ask to join an organization that takes people of your domain; without SLUG: list them',
    examples: [['Which', 'svc orgs join'], ['One', 'svc orgs join acme']], // prettier-ignore
  });

  slug = Option.String({ name: 'SLUG', required: false });
  json = Option.Boolean('--json', false, { description: 'print JSON' });

  async execute(): Promise<number> {
    const api = this.client().organizations;
    const output = this.output(this.json);
    if (this.slug === undefined) {
      const { items } = await api.invitations();
      output.result(items, () => items.map(({ slug, name, role }) => `${slug}  ${name} (${role})`));
      return 0;
    }
    const asked = await api.join({ body: { slug: this.slug } });
    output.result(asked, [`A mail to ${asked.email} has the link.`]);
    return 0;
  }
}
