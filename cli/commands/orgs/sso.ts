// The organization's own sign-in.
import { Command, Option } from 'clipanion';
import { SSO_ROLES } from '#contract/states.ts';
import { given } from '../../ask/given.ts';
import { ApiCommand, integer, oneOf } from '../../command-base.ts';
import { UsageError } from '../../errors.ts';

type Shown = Awaited<ReturnType<ReturnType<ApiCommand['client']>['organizationSso']['get']>>;

abstract class SsoCommand extends ApiCommand {
  slug = Option.String({ name: 'SLUG' });
  json = Option.Boolean('--json', false, { description: 'print JSON' });

  protected get sso() {
    return this.client().organizationSso;
  }
  protected get params() {
    return { slug: this.slug };
  }
}

function linesOf({ connection, redirect_uri, sign_in_url, linked_at }: Shown): string[] {
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

export class OrgsSsoCommand extends SsoCommand {
  static override paths = [['orgs', 'sso']];
  static override usage = Command.Usage({ description: "show the organization's own sign-in", examples: [['One organization', 'svc orgs sso acme']] });

  async execute(): Promise<number> {
    const shown = await this.sso.get({ params: this.params });
    this.output(this.json).result(shown, () => linesOf(shown));
    return 0;
  }
}

export class OrgsSsoConnectCommand extends SsoCommand {
  static override paths = [['orgs', 'sso', 'connect']];
  static override usage = Command.Usage({
    description: 'connect an identity provider (OpenID Connect), or change the connection',
    details: `Allow the redirect address that "svc orgs sso SLUG" prints for the client at the provider. Domains are verified ones of the organization. --client-secret @file or @- (standard input) keeps it out of the history of the shell; left out, the one that is there stays. Roles: ${SSO_ROLES.join(', ')}.`,
    examples: [
      ['One', 'svc orgs sso connect acme --issuer https://login.example.com --client-id svc --client-secret @secret --domain example.com'],
      ['People are invited first', 'svc orgs sso connect acme --issuer https://login.example.com --client-id svc --domain example.com --no-members'],
    ],
  });

  issuer = Option.String('--issuer', { required: true, description: 'address of the provider' });
  clientId = Option.String('--client-id', { required: true, description: 'of the client that was made for svc there' });
  clientSecret = Option.String('--client-secret', { description: 'of that client' });
  domain = Option.Array('--domain', { description: 'whose addresses may sign in; may come several times' });
  role = Option.String('--role', 'developer', { description: 'of a member made at the first sign-in' });
  members = Option.Boolean('--members', true, { description: 'whom the organization does not know becomes a member' });
  hours = Option.String('--hours', '12', { description: 'how long a session acts for the organization' });

  async execute(): Promise<number> {
    if (this.domain === undefined) throw new UsageError('Name at least one --domain, whose addresses may sign in.');
    const secret = this.clientSecret === undefined ? {} : { client_secret: await given(this.context, '--client-secret', this.clientSecret) };
    const shown = await this.sso.put({
      params: this.params,
      body: {
        issuer: this.issuer,
        client_id: this.clientId,
        ...secret,
        domains: this.domain,
        default_role: oneOf('--role', this.role, SSO_ROLES),
        makes_members: this.members,
        session_hours: integer('--hours', this.hours, { min: 1, max: 336 }),
      },
    });
    const output = this.output(this.json);
    output.hint(`Try it: svc login --org ${this.slug}`);
    output.result(shown, () => linesOf(shown));
    return 0;
  }
}

export class OrgsSsoRequireCommand extends SsoCommand {
  static override paths = [['orgs', 'sso', 'require']];
  static override usage = Command.Usage({
    description: 'let nobody act for the organization who did not sign in by it',
    details: 'Sign in by it first (svc login --org SLUG): a connection that does not work would lock everybody out.',
    examples: [
      ['From now on', 'svc orgs sso require acme'],
      ['No more', 'svc orgs sso require acme --off'],
    ],
  });

  off = Option.Boolean('--off', false, { description: 'end it' });

  async execute(): Promise<number> {
    const shown = await this.sso.require({ params: this.params, body: { required: !this.off } });
    this.output(this.json).result(shown, [this.off ? 'Everybody may sign in as they like.' : 'Only sessions of the own sign-in act for the organization.']);
    return 0;
  }
}

export class OrgsSsoRemoveCommand extends SsoCommand {
  static override paths = [['orgs', 'sso', 'remove']];
  static override usage = Command.Usage({
    description: 'remove the connection; sessions that it made end at once',
    examples: [['One organization', 'svc orgs sso remove acme']],
  });

  async execute(): Promise<number> {
    await this.sso.remove({ params: this.params });
    this.output(this.json).result({ removed: true }, ['The connection is removed.']);
    return 0;
  }
}
