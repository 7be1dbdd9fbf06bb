// Users and groups that the identity provider of an organization sent.
import { UsageError } from 'clipanion';
import { SCIM_ROLES } from '#contract/states.ts';
import { command } from '../../lib/command.ts';
import { plain, table } from '../../lib/output.ts';

export const commands = [
  command('orgs provisioned', {
    about: 'list the users whom the identity provider sent, and which members they are',
    examples: [['One organization', 'svc orgs provisioned acme']],
    arguments: { slug: 'SLUG' },
    route: 'organizationScim.users',
    send: ({ slug }) => ({ params: { slug }, query: { limit: 200 } }),
    json: ({ items }) => items,
    lines: ({ items }) =>
      table(
        ['USER', 'ACTIVE', 'MEMBER', 'ROLE', 'GROUPS'],
        items.map((one) => [
          plain(one.user_name),
          one.active ? 'yes' : 'no',
          one.member?.state ?? 'none',
          one.member?.role ?? '',
          plain(one.groups.join(', ')),
        ]),
      ),
  }),
  command('orgs groups list', {
    about: 'list the groups of the identity provider, and the roles that they give',
    examples: [['One organization', 'svc orgs groups list acme']],
    arguments: { slug: 'SLUG' },
    lookup: async ({ slug }, { client }) => client.organizationScim.roles({ params: { slug } }),
    route: 'organizationScim.groups',
    send: ({ slug }) => ({ params: { slug }, query: { limit: 200 } }),
    json: ({ items }, { roles }) => ({ groups: items, roles }),
    lines: ({ items }, { roles }) => {
      const known = new Set(items.map(({ name }) => name.toLowerCase()));
      return table(
        ['GROUP', 'MEMBERS', 'ROLE'],
        [
          ...items.map(({ name, members, role }) => [plain(name), String(members), role ?? 'none']),
          // Named before the identity provider has sent them.
          ...roles.filter(({ group }) => !known.has(group.toLowerCase())).map(({ group, role }) => [plain(group), 'not there yet', role]),
        ],
      );
    },
  }),
  command('orgs groups set', {
    about: 'say which role the members of a group have, at once; of several groups the highest role counts',
    examples: [
      ['A role', 'svc orgs groups set acme Engineers developer'],
      ['None', 'svc orgs groups set acme Engineers none'],
    ],
    arguments: { slug: 'SLUG', group: 'GROUP', role: 'ROLE' },
    route: 'organizationScim.putRoles',
    send: async ({ slug, group, role: typed }, { client }) => {
      const role = SCIM_ROLES.find((one) => one === typed);
      if (!role && typed !== 'none') throw new UsageError(`ROLE is one of ${SCIM_ROLES.join(', ')} or none`);
      const params = { slug };
      const { roles } = await client.organizationScim.roles({ params });
      const others = roles.filter((one) => one.group.toLowerCase() !== group.toLowerCase());
      return { params, body: { roles: [...others, ...(role ? [{ group, role }] : [])] } };
    },
    lines: (_, { group, role }) => [`Members of ${plain(group)} ${role === 'none' ? 'get no role by it.' : `have the role ${role}.`}`],
  }),
];
