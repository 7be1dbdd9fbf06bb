import { Command, Option } from 'clipanion';
import { ApiCommand, integer } from '../../command-base.ts';
import { plain, table } from '../../output.ts';

const ended = (expiresAt: string | null): boolean => expiresAt !== null && Date.parse(expiresAt) <= Date.now();

export class OrgsScimCommand extends ApiCommand {
  static override paths = [['orgs', 'scim']];
  static override usage = Command.Usage({
    description: 'show provisioning by SCIM: its address and its tokens',
    examples: [['One organization', 'svc orgs scim acme']],
  });

  slug = Option.String({ name: 'SLUG' });
  json = Option.Boolean('--json', false, { description: 'print JSON' });

  async execute(): Promise<number> {
    const params = { slug: this.slug };
    const client = this.client().organizations;
    const [scim, { items }] = [await client.scim({ params }), await client.scimTokens({ params, query: { limit: 200 } })];
    const rows = items.map((one) => [
      one.token_id,
      plain(one.name),
      one.revoked_at !== null ? 'revoked' : one.valid || ended(one.expires_at) ? (one.expires_at ?? 'never') : 'its maker is no admin',
      one.last_used_at ?? 'never',
    ]);
    this.output(this.json).result({ ...scim, items }, () => [scim.base_url, ...(rows.length === 0 ? [] : table(['TOKEN', 'NAME', 'EXPIRES', 'USED'], rows))]);
    return 0;
  }
}

export class OrgsScimTokenCommand extends ApiCommand {
  static override paths = [['orgs', 'scim-token']];
  static override usage = Command.Usage({
    description: 'make a SCIM token for the identity provider; it is shown this once',
    examples: [['For a year', 'svc orgs scim-token acme Entra --days 365']],
  });

  slug = Option.String({ name: 'SLUG' });
  label = Option.String({ name: 'NAME' });
  days = Option.String('--days', { description: 'it expires after so many days (default: never)' });
  json = Option.Boolean('--json', false, { description: 'print JSON' });

  async execute(): Promise<number> {
    const days = this.days === undefined ? {} : { expires_in_days: integer('--days', this.days, { min: 1, max: 1_095 }) };
    const made = await this.client().organizations.createScimToken({ params: { slug: this.slug }, body: { name: this.label, ...days } });
    this.output(this.json).result(made, [made.token]);
    return 0;
  }
}

export class OrgsScimRevokeCommand extends ApiCommand {
  static override paths = [['orgs', 'scim-revoke']];
  static override usage = Command.Usage({ description: 'revoke a SCIM token, at once', examples: [['By its id', 'svc orgs scim-revoke acme scm_…']] });

  slug = Option.String({ name: 'SLUG' });
  token = Option.String({ name: 'TOKEN' });
  json = Option.Boolean('--json', false, { description: 'print JSON' });

  async execute(): Promise<number> {
    await this.client().organizations.revokeScimToken({ params: { slug: this.slug, token_id: this.token } });
    this.output(this.json).result({ revoked: this.token }, ['Revoked.']);
    return 0;
  }
}
