import { Command, Option } from 'clipanion';
import { CLI_CLIENT_ID, SCOPES } from '#contract/identity/oauth.ts';
import { createApi } from '../lib/api.ts';
import { ApiCommand, integer } from '../lib/api-command.ts';
import type { Credential } from '../login/credentials.ts';
import { CliError, NotSignedIn } from '../lib/errors.ts';
import { credentialOf, type Tokens } from '../login/oidc.ts';
import { createSession } from '../login/session.ts';

const DEFAULT_PORT = 41873;

export class LoginCommand extends ApiCommand {
  static override paths = [['login']];
  static override usage = Command.Usage({
    description: 'sign in and cache the tokens',
    examples: [
      ['With a browser', 'svc login'],
      ["By your organization's own sign-in", 'svc login --org acme'],
      ['Print the address instead of opening a browser', 'svc login --no-open'],
      ['With an access token you already have', 'svc login --token eyJ…'],
    ],
  });

  issuer = Option.String('--issuer', { description: 'identity provider (default: <api>/idp)' });
  clientId = Option.String('--client-id', CLI_CLIENT_ID, { description: 'how the tool is known to the identity provider' });
  scope = Option.String('--scope', SCOPES.join(' '), { description: 'what to ask for' });
  port = Option.String('--port', { description: `port of the local callback (default ${DEFAULT_PORT}, or a free one when it is taken)` });
  token = Option.String('--token', { description: 'an access token you already have, instead of a sign-in' });
  local = Option.String('--local', { description: 'sign in as this local account (an email) of a platform on this machine, without a browser' });
  open = Option.Boolean('--open', true, { description: 'open the browser' });
  json = Option.Boolean('--json', false, { description: 'print JSON' });

  /** Ask for a new account rather than for a sign-in. */
  protected readonly creates: boolean = false;

  async execute(): Promise<number> {
    const credential = await this.#obtain();
    // Nothing is kept that does not work.
    const me = await createApi(this.apiUrl, createSession({ store: this.store, api: this.apiUrl, fixedToken: credential.access_token })).auth.me();
    await this.store.update(this.apiUrl, () => ({ ...credential, email: me.email }));
    const { email, name, operator, acts_only_for } = me;
    const limit = !acts_only_for
      ? []
      : [
          `This sign-in acts for ${acts_only_for.slug} only. For anything else sign in without it (svc login); "Link my account" on its page Sign-in lifts that.`,
        ];
    this.output(this.json).result({ api: this.apiUrl, email, name, operator, acts_only_for }, [`Signed in as ${email} at ${this.apiUrl}.`, ...limit]);
    return 0;
  }

  async #obtain(): Promise<Credential> {
    if (this.token !== undefined) return await given(this.token);
    if (this.org !== undefined) {
      const { signInByOrganization } = await import('../login/organization.ts');
      return signInByOrganization({ api: this.apiUrl, organization: this.org, ...this.#loopback(), open: this.open, output: this.output() });
    }
    const from = { issuer: this.issuer ?? `${this.apiUrl}/idp`, clientId: this.clientId };
    return credentialOf(await this.#signIn(from), from, Date.now());
  }

  async #signIn(from: { issuer: string; clientId: string }): Promise<Tokens> {
    const { scope } = this;
    if (this.local !== undefined) {
      const { signInLocally } = await import('../login/local.ts');
      return signInLocally({ ...from, scope, email: this.local, secretsDir: this.context.settings.secretsDir });
    }
    const { signInWithBrowser } = await import('../login/browser.ts');
    return signInWithBrowser({
      ...from,
      scope,
      ...this.#loopback(),
      open: this.open,
      create: this.creates,
      output: this.output(),
    });
  }

  #loopback(): { port: number; orAnother: boolean } {
    const port = integer('--port', this.port ?? String(DEFAULT_PORT), { min: 1, max: 65_535 });
    return { port, orAnother: this.port === undefined };
  }
}

export class SignupCommand extends LoginCommand {
  static override paths = [['signup']];
  static override usage = Command.Usage({
    description: 'make an account, or sign into the one you have, and cache the tokens',
    details:
      'The identity provider shows its page for new accounts where it has one, else its sign-in. The accounts of a platform on this machine are made there; its operator can turn that off (SVC_SIGNUP).',
    examples: [
      ['With a browser', 'svc signup'],
      ['Print the address instead of opening a browser', 'svc signup --no-open'],
    ],
  });

  protected override readonly creates: boolean = true;
}

/** A token from elsewhere: when it ends is read from it, if it can be. */
async function given(token: string): Promise<Credential> {
  if (!/^[\w.~+/=-]+$/.test(token)) throw new CliError('--token must be only the access token, without "Bearer".');
  const { decodeJwt } = await import('jose');
  try {
    const { exp } = decodeJwt(token);
    if (exp !== undefined && exp * 1000 < Date.now()) throw new NotSignedIn('This access token has expired already. Get a new one.');
    return { access_token: token, ...(exp === undefined ? {} : { expires_at: exp * 1000 }) };
  } catch (error) {
    if (error instanceof CliError) throw error;
    return { access_token: token };
  }
}
