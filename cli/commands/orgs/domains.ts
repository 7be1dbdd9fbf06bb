import { Command, Option } from 'clipanion';
import { ApiCommand } from '../../command-base.ts';
import { table } from '../../output.ts';

abstract class DomainCommand extends ApiCommand {
  slug = Option.String({ name: 'SLUG' });
  domain = Option.String({ name: 'DOMAIN' });
  json = Option.Boolean('--json', false, { description: 'print JSON' });
}

export class OrgsDomainsCommand extends ApiCommand {
  static override paths = [['orgs', 'domains']];
  static override usage = Command.Usage({ description: 'list the domains of an organization', examples: [['One organization', 'svc orgs domains acme']] });

  slug = Option.String({ name: 'SLUG' });
  json = Option.Boolean('--json', false, { description: 'print JSON' });

  async execute(): Promise<number> {
    const { items } = await this.client().organizations.domains({ params: { slug: this.slug } });
    this.output(this.json).result(items, () => table(['DOMAIN', 'STATE', 'PROBLEM'], items.map(({ domain, state, problem }) => [domain, state, problem ?? '']))); // prettier-ignore
    return 0;
  }
}

export class OrgsClaimDomainCommand extends DomainCommand {
  static override paths = [['orgs', 'claim-domain']];
  static override usage = Command.Usage({
    description: 'claim a domain: prints the record that proves it',
    examples: [['One', 'svc orgs claim-domain acme example.com']],
  });

  async execute(): Promise<number> {
    const claimed = await this.client().organizations.addDomain({ params: { slug: this.slug }, body: { domain: this.domain } });
    const { type, name, value } = claimed.record;
    const output = this.output(this.json);
    output.hint(`Add the record, then: svc orgs verify-domain ${this.slug} ${claimed.domain}`);
    output.result(claimed, [`${name} ${type} "${value}"`]);
    return 0;
  }
}

export class OrgsVerifyDomainCommand extends DomainCommand {
  static override paths = [['orgs', 'verify-domain']];
  static override usage = Command.Usage({ description: 'look for the record of a domain now', examples: [['One', 'svc orgs verify-domain acme example.com']] });

  async execute(): Promise<number> {
    const seen = await this.client().organizations.verifyDomain({ params: { slug: this.slug, domain: this.domain } });
    this.output(this.json).result(seen, [seen.problem === null ? `${seen.domain} is ${seen.state}.` : seen.problem]);
    return seen.state === 'verified' ? 0 : 1;
  }
}

export class OrgsRemoveDomainCommand extends DomainCommand {
  static override paths = [['orgs', 'remove-domain']];
  static override usage = Command.Usage({ description: 'give a domain up', examples: [['One', 'svc orgs remove-domain acme example.com']] });

  async execute(): Promise<number> {
    await this.client().organizations.removeDomain({ params: { slug: this.slug, domain: this.domain } });
    this.output(this.json).result({ removed: this.domain }, [`${this.domain} is given up.`]);
    return 0;
  }
}
