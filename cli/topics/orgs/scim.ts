// Provisioning by SCIM: its address and its tokens.
import { Option } from 'clipanion';
import { integer } from '../../lib/api-command.ts';
import { command } from '../../lib/command.ts';
import { plain, table } from '../../lib/output.ts';

const ended = (expiresAt: string | null): boolean => expiresAt !== null && Date.parse(expiresAt) <= Date.now();

export const commands = [
  command('orgs scim get', {
    about: 'show provisioning by SCIM: its address and its tokens',
    examples: [['One organization', 'svc orgs scim get acme']],
    arguments: { slug: 'SLUG' },
    lookup: async ({ slug }, { client }) => ({ scim: await client.organizations.scim({ params: { slug } }) }),
    route: 'organizations.scimTokens',
    send: ({ slug }) => ({ params: { slug }, query: { limit: 200 } }),
    json: ({ items }, { scim }) => ({ ...scim, items }),
    lines: ({ items }, { scim }) => {
      const rows = items.map((one) => [
        one.token_id,
        plain(one.name),
        one.revoked_at !== null ? 'revoked' : one.valid || ended(one.expires_at) ? (one.expires_at ?? 'never') : 'its maker is no admin',
        one.last_used_at ?? 'never',
      ]);
      return [scim.base_url, ...(rows.length === 0 ? [] : table(['TOKEN', 'NAME', 'EXPIRES', 'USED'], rows))];
    },
  }),
  command('orgs scim create', {
    about: 'make a SCIM token for the identity provider; it is shown this once',
    examples: [['For a year', 'svc orgs scim create acme Entra --days 365']],
    arguments: { slug: 'SLUG', label: 'NAME' },
    options: () => ({ days: Option.String('--days', { description: 'it expires after so many days (default: never)' }) }),
    route: 'organizations.createScimToken',
    send: ({ slug, label, days }) => ({
      params: { slug },
      body: { name: label, ...(days === undefined ? {} : { expires_in_days: integer('--days', days, { min: 1, max: 1_095 }) }) },
    }),
    lines: ({ token }) => [token],
  }),
  command('orgs scim revoke', {
    about: 'revoke a SCIM token, at once',
    examples: [['By its id', 'svc orgs scim revoke acme scm_…']],
    arguments: { slug: 'SLUG', token: 'TOKEN' },
    route: 'organizations.revokeScimToken',
    send: ({ slug, token }) => ({ params: { slug, token_id: token } }),
    json: (_, { token }) => ({ revoked: token }),
    lines: () => ['Revoked.'],
  }),
];
