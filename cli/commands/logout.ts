import { Command, Option } from 'clipanion';
import * as oidc from 'openid-client';
import { ApiCommand } from '../command-base.ts';
import type { Credential } from '../credentials.ts';
import { discoverIssuer } from '../oidc.ts';

export class LogoutCommand extends ApiCommand {
  static override paths = [['logout']];
  static override usage = Command.Usage({
    description: 'forget the cached tokens',
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
    const revoked = await revoke(was);
    output.result({ api: this.apiUrl, signed_out: true, revoked }, [`Signed out of ${this.apiUrl}.`]);
    if (!revoked) output.note('The identity provider did not answer, so the deleted refresh token stays valid until it expires.');
    return 0;
  }
}

/** The sign-out must invalidate copies of the refresh token, too. */
async function revoke({ refresh_token: token, issuer, client_id: clientId }: Credential): Promise<boolean> {
  if (token === undefined || issuer === undefined || clientId === undefined) return true;
  try {
    await oidc.tokenRevocation(await discoverIssuer(issuer, clientId), token);
    return true;
  } catch {
    return false;
  }
}
