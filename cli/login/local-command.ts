// What the commands for the platform on this machine have in common: they ask nothing, and make a token
// themselves.
import { setTimeout as sleep } from 'node:timers/promises';
import { Option } from 'clipanion';
import { CLI_CLIENT_ID, SCOPES } from '#contract/identity/oauth.ts';
import { ApiCommand } from '../lib/api-command.ts';
import { CliError, isConnectionFailure } from '../lib/errors.ts';
import { EXIT } from '../lib/exit-codes.ts';

const WAIT_FOR_CONTROL_PLANE_MS = 120_000;

export abstract class LocalCommand extends ApiCommand {
  token = Option.String('--token', { description: 'access token to use' });
  tokenEmail = Option.String('--token-email', 'ada@svc.local', { description: 'local account the token is made for' });
  dockerToken = Option.Boolean('--docker-token', true, { description: 'make a token when none is given' });
  waitControlPlane = Option.Boolean('--wait-control-plane', true, { description: 'wait for the control plane to come up' });

  /**
   * A token made here is kept for the next commands, unless another person is signed in at this control
   * plane.
   */
  protected async accessToken(): Promise<string | undefined> {
    const token = this.token ?? this.context.settings.token;
    if (token !== undefined || !this.dockerToken) return token;
    const { signInLocally } = await import('./local.ts');
    const { credentialOf } = await import('./oidc.ts');
    const from = { issuer: `${this.apiUrl}/idp`, clientId: CLI_CLIENT_ID, email: this.tokenEmail };
    const tokens = await signInLocally({ ...from, scope: SCOPES.join(' '), secretsDir: this.context.settings.secretsDir });
    const made = credentialOf(tokens, from, Date.now());
    await this.store.update(this.apiUrl, (current) => (current === undefined || current.email === this.tokenEmail ? made : current));
    return made.access_token;
  }

  /** Unless --no-wait-control-plane was given. */
  protected async controlPlaneUp(note: (text: string) => void): Promise<void> {
    if (!this.waitControlPlane) return;
    const deadline = performance.now() + WAIT_FOR_CONTROL_PLANE_MS;
    for (let tries = 0; ; tries++) {
      if (await isReady(this.apiUrl)) return;
      if (performance.now() > deadline)
        throw new CliError(`The control plane at ${this.apiUrl} did not come up within two minutes. Look at: npm run status`, EXIT.unreachable);
      if (tries === 4) note(`Waiting for the control plane at ${this.apiUrl} …`);
      await sleep(250);
    }
  }
}

async function isReady(api: string): Promise<boolean> {
  try {
    const response = await fetch(`${api}/readyz`);
    await response.body?.cancel();
    return response.ok;
  } catch (error) {
    if (isConnectionFailure(error)) return false;
    throw error;
  }
}
