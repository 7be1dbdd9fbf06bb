import { Command, Option } from 'clipanion';
import * as oidc from 'openid-client';
import { ApiError, createClient } from '#contract/client.ts';
import { ApiCommand } from '../lib/api-command.ts';
import type { Credential } from '../login/credentials.ts';
import { discoverIssuer } from '../login/oidc.ts';

export class LogoutCommand extends ApiCommand {
  static override paths = [['logout']];
  static override usage = Command.Usage({
    description: 'end the sign-in of this tool, and forget its tokens',
    examples: [['At the control plane of SVC_API_URL', 'svc logout']],
  });

  json = Option.Boolean('--json', false, { description: 'print JSON' });

  async execute(): Promise<number> {
    let was: Credential | undefined;
    await this.store.update(this.apiUrl, (current) => {
      was = current;
      return undefined;
    });
    const output = this.output(this.json);
    if (!was) {
      output.result({ api: this.apiUrl, signed_out: false, revoked: false }, [`You were not signed in at ${this.apiUrl}.`]);
      return 0;
    }
    const revoked = await this.#revoke(was);
    output.result({ api: this.apiUrl, signed_out: true, revoked }, [`Signed out of ${this.apiUrl}.`]);
    if (!revoked) output.note('The sign-in could not be ended, so copies of its tokens stay valid until they expire. End it at the dashboard, under Settings.');
    return 0;
  }

  /** The sign-out must invalidate copies of the tokens, too. */
  async #revoke({ refresh_token: token, issuer, client_id: clientId, access_token }: Credential): Promise<boolean> {
    try {
      if (token !== undefined && issuer !== undefined && clientId !== undefined) await oidc.tokenRevocation(await discoverIssuer(issuer, clientId), token);
      // A sign-in of an organization: the platform itself issued its token. Another token was given, and its
      // sign-in is elsewhere.
      else if (access_token.startsWith('svc_'))
        await createClient({ baseUrl: this.apiUrl, token: access_token }).signIns.end({ params: { sign_in_id: 'current' } });
      return true;
    } catch (error) {
      // It was over already.
      return error instanceof ApiError && error.status === 401;
    }
  }
}
