// Organizations of the person: listed, made, joined.
import { oneOf } from '../../lib/api-command.ts';
import { command } from '../../lib/command.ts';
import { plain } from '../../lib/output.ts';

export const commands = [
  command('orgs list', {
    about: 'list the organizations of which you are a member',
    examples: [
      ['All', 'svc orgs list'],
      ['Act for one', 'svc agents --org acme'],
    ],
    route: 'organizations.list',
    send: () => ({ query: { limit: 200 } }),
    json: ({ items }) => items,
    columns: {
      ORGANIZATION: ({ slug }) => slug,
      ROLE: ({ role }) => role,
      MEMBERS: ({ members }) => String(members),
      NAME: ({ name }) => plain(name),
    },
    empty: () => 'You are a member of none. Make one with: svc orgs create SLUG NAME',
  }),
  command('orgs create', {
    about: 'make an organization, and be its owner',
    examples: [['One', 'svc orgs create acme "Acme Ltd."']],
    arguments: { slug: 'SLUG', label: 'NAME' },
    route: 'organizations.create',
    send: ({ slug, label }) => ({ body: { slug, name: label } }),
    lines: ({ slug }) => [slug],
    hint: ({ slug }) => `Invite people with: svc orgs invite ${slug} EMAIL ROLE. Act for it with --org ${slug}, or SVC_ORG=${slug}.`,
  }),
  command('orgs auto-join', {
    about: 'say as what people of a verified domain may join: developer, auditor or none',
    examples: [['As auditors', 'svc orgs auto-join acme auditor']],
    arguments: { slug: 'SLUG', role: 'ROLE' },
    route: 'organizations.update',
    send: ({ slug, role: typed }) => {
      const role = oneOf('ROLE', typed, ['developer', 'auditor', 'none']);
      return { params: { slug }, body: { auto_join_role: role === 'none' ? null : role } };
    },
    lines: (_, { role }) => [role === 'none' ? 'People are invited.' : `People of its verified domains may join as ${role}.`],
  }),
];
