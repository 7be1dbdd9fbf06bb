// The organization's own sign-in.
import { Option } from 'clipanion';
import { SSO_ROLES } from '#contract/states.ts';
import { given } from '../../ask/given.ts';
import { integer, oneOf } from '../../lib/api-command.ts';
import { UsageError } from '../../lib/errors.ts';
import { type Answer, command } from '../../lib/command.ts';

export const commands = [
  command('orgs sso get', {
    about: "show the organization's own sign-in",
    examples: [['One organization', 'svc orgs sso get acme']],
    arguments: { slug: 'SLUG' },
    route: 'organizationSso.get',
    send: ({ slug }) => ({ params: { slug } }),
    lines: linesOf,
  }),
  command('orgs sso set', {
    about: 'connect an identity provider (OpenID Connect), or change the connection',
    details: `Allow the redirect address that "svc orgs sso get SLUG" prints for the client at the provider. Domains are verified ones of the organization. --client-secret @file or @- (standard input) keeps it out of the history of the shell; left out, the one that is there stays. Roles: ${SSO_ROLES.join(', ')}.`,
    examples: [
      ['One', 'svc orgs sso set acme --issuer https://login.example.com --client-id svc --client-secret @secret --domain example.com'],
      ['People are invited first', 'svc orgs sso set acme --issuer https://login.example.com --client-id svc --domain example.com --no-members'],
    ],
    arguments: { slug: 'SLUG' },
    options: () => ({
      issuer: Option.String('--issuer', { required: true, description: 'address of the provider' }),
      clientId: Option.String('--client-id', { required: true, description: 'of the client that was made for svc there' }),
      clientSecret: Option.String('--client-secret', { description: 'of that client' }),
      domain: Option.Array('--domain', { description: 'whose addresses may sign in; may come several times' }),
      role: Option.String('--role', 'developer', { description: 'of a member made at the first sign-in' }),
      members: Option.Boolean('--members', true, { description: 'whom the organization does not know becomes a member' }),
      hours: Option.String('--hours', '12', { description: 'how long a session acts for the organization' }),
    }),
    route: 'organizationSso.put',
    send: async ({ slug, issuer, clientId, clientSecret, domain, role, members, hours }, { context }) => {
      if (domain === undefined) throw new UsageError('Name at least one --domain, whose addresses may sign in.');
      const secret = clientSecret === undefined ? {} : { client_secret: await given(context, '--client-secret', clientSecret) };
      return {
        params: { slug },
        body: {
          issuer,
          client_id: clientId,
          ...secret,
          domains: domain,
          default_role: oneOf('--role', role, SSO_ROLES),
          makes_members: members,
          session_hours: integer('--hours', hours, { min: 1, max: 336 }),
        },
      };
    },
    lines: linesOf,
    hint: (_, { slug }) => `Try it: svc login --org ${slug}`,
  }),
  command('orgs sso delete', {
    about: 'remove the connection; sessions that it made end at once',
    examples: [['One organization', 'svc orgs sso delete acme']],
    arguments: { slug: 'SLUG' },
    route: 'organizationSso.remove',
    send: ({ slug }) => ({ params: { slug } }),
    json: () => ({ removed: true }),
    lines: () => ['The connection is removed.'],
  }),
  command('orgs sso require', {
    about: 'let nobody act for the organization who did not sign in by it',
    details: 'Sign in by it first (svc login --org SLUG): a connection that does not work would lock everybody out.',
    examples: [
      ['From now on', 'svc orgs sso require acme'],
      ['No more', 'svc orgs sso require acme --off'],
    ],
    arguments: { slug: 'SLUG' },
    options: () => ({ off: Option.Boolean('--off', false, { description: 'end it' }) }),
    route: 'organizationSso.require',
    send: ({ slug, off }) => ({ params: { slug }, body: { required: !off } }),
    lines: (_, { off }) => [off ? 'Everybody may sign in as they like.' : 'Only sessions of the own sign-in act for the organization.'],
  }),
];

function linesOf({ connection, redirect_uri, sign_in_url, linked_at }: Answer<'organizationSso.get'>): string[] {
  const urls = [`redirect address  ${redirect_uri}`, `sign-in address   ${sign_in_url}`];
  if (connection === null) return ['No identity provider is connected.', ...urls];
  const { issuer, client_id, domains, default_role, makes_members, required, session_hours, last_used_at } = connection;
  return [
    `issuer            ${issuer}`,
    `client            ${client_id}`,
    `domains           ${domains.map(({ domain, verified }) => (verified ? domain : `${domain} (not verified)`)).join(', ')}`,
    `new people        ${makes_members ? `become members as ${default_role}` : 'need an invitation'}`,
    `sessions          ${session_hours} hours`,
    `required          ${required ? 'yes' : 'no'}`,
    `last sign-in      ${last_used_at ?? 'never'}`,
    `your account      ${linked_at === null ? 'not linked: a sign-in acts for the organization only' : `linked ${linked_at}`}`,
    ...urls,
  ];
}
