import { Command, Option, UsageError } from 'clipanion';
import { SCIM_ROLES } from '#contract/states.ts';
import { ApiCommand } from '../../command-base.ts';
import { plain, table } from '../../output.ts';

abstract class ProvisionedCommand extends ApiCommand {
  slug = Option.String({ name: 'SLUG' });
  json = Option.Boolean('--json', false, { description: 'print JSON' });
}

export class OrgsProvisionedCommand extends ProvisionedCommand {
  static override paths = [['orgs', 'provisioned']];
  static override usage = Command.Usage({
    description: 'list the users whom the identity provider sent, and which members they are',
    examples: [['One organization', 'svc orgs provisioned acme']],
  });

  async execute(): Promise<number> {
    const { items } = await this.client().organizationScim.users({ params: { slug: this.slug }, query: { limit: 200 } });
    const rows = items.map((one) => [
      plain(one.user_name),
      one.active ? 'yes' : 'no',
      one.member?.state ?? 'none',
      one.member?.role ?? '',
      plain(one.groups.join(', ')),
    ]);
    this.output(this.json).result(items, () => table(['USER', 'ACTIVE', 'MEMBER', 'ROLE', 'GROUPS'], rows));
    return 0;
  }
}

export class OrgsGroupsCommand extends ProvisionedCommand {
  static override paths = [['orgs', 'groups']];
  static override usage = Command.Usage({
    description: 'list the groups of the identity provider, and the roles that they give',
    examples: [['One organization', 'svc orgs groups acme']],
  });

  async execute(): Promise<number> {
    const params = { slug: this.slug };
    const settings = this.client().organizationScim;
    const [{ items }, { roles }] = [await settings.groups({ params, query: { limit: 200 } }), await settings.roles({ params })];
    const known = new Set(items.map(({ name }) => name.toLowerCase()));
    const rows = [
      ...items.map(({ name, members, role }) => [plain(name), String(members), role ?? 'none']),
      // Named before the identity provider has sent them.
      ...roles.filter(({ group }) => !known.has(group.toLowerCase())).map(({ group, role }) => [plain(group), 'not there yet', role]),
    ];
    this.output(this.json).result({ groups: items, roles }, () => table(['GROUP', 'MEMBERS', 'ROLE'], rows));
    return 0;
  }
}

export class OrgsGroupRoleCommand extends ProvisionedCommand {
  static override paths = [['orgs', 'group-role']];
  static override usage = Command.Usage({
    description: 'say which role the members of a group have, at once; of several groups the highest role counts',
    examples: [
      ['A role', 'svc orgs group-role acme Engineers developer'],
      ['None', 'svc orgs group-role acme Engineers none'],
    ],
  });

  group = Option.String({ name: 'GROUP' });
  role = Option.String({ name: 'ROLE' });

  async execute(): Promise<number> {
    const role = SCIM_ROLES.find((one) => one === this.role);
    if (!role && this.role !== 'none') throw new UsageError(`ROLE is one of ${SCIM_ROLES.join(', ')} or none`);
    const params = { slug: this.slug };
    const settings = this.client().organizationScim;
    const others = (await settings.roles({ params })).roles.filter(({ group }) => group.toLowerCase() !== this.group.toLowerCase());
    const changed = await settings.putRoles({ params, body: { roles: [...others, ...(role ? [{ group: this.group, role }] : [])] } });
    this.output(this.json).result(changed, [`Members of ${plain(this.group)} ${role ? `have the role ${role}.` : 'get no role by it.'}`]);
    return 0;
  }
}
