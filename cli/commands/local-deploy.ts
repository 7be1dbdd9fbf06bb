import { setTimeout as sleep } from 'node:timers/promises';
import { Command, Option } from 'clipanion';
import { CLI_CLIENT_ID, SCOPES } from '#contract/identity/oauth.ts';
import { ApiCommand, listing } from '../command-base.ts';
import { CliError, isConnectionFailure } from '../errors.ts';
import { EXIT } from '../exit-codes.ts';

const WAIT_FOR_CONTROL_PLANE_MS = 120_000;

export class LocalDeployCommand extends ApiCommand {
  static override paths = [['local-deploy']];
  static override usage = Command.Usage({
    description: 'deploy to the platform on this machine, without asking anything',
    details:
      'Without --token it makes an access token for a local account by the key file of the platform (.svc/secrets/local-login.key) and keeps it for the next commands, then uploads as deploy does.',
  });

  positional = Option.String({ required: false, name: 'PROJECT' });
  project = Option.String('--project,-p', '.', { description: 'folder of the project' });
  public = Option.Boolean('--public', { description: 'list it in the public registry' });
  private = Option.Boolean('--private', { description: 'do not list it' });
  token = Option.String('--token', { description: 'access token to use' });
  tokenEmail = Option.String('--token-email', 'ada@svc.local', { description: 'local account the token is made for' });
  dockerToken = Option.Boolean('--docker-token', true, { description: 'make a token when none is given' });
  waitControlPlane = Option.Boolean('--wait-control-plane', true, { description: 'wait for the control plane to come up' });
  waitAgent = Option.Boolean('--wait-agent', false, { description: 'wait until the agent is live' });
  validate = Option.Boolean('--validate', true, { description: 'check the project here before it is uploaded; --no-validate leaves that to the build' });
  json = Option.Boolean('--json', false, { description: 'print JSON' });

  async execute(): Promise<number> {
    const isPublic = listing(this.public, this.private);
    const output = this.output(this.json);
    if (this.waitControlPlane) await waitForControlPlane(this.apiUrl, (text) => output.note(text));
    const client = this.client(await this.#accessToken());
    const { upload, waitUntilLive } = await import('../deploy/deploy.ts');
    const accepted = await upload(client, { folder: this.positional ?? this.project, isPublic, validate: this.validate }, output);
    const deployment = this.waitAgent ? await waitUntilLive(client, accepted, output) : undefined;
    output.hint(deployment ? output.good('Live') : `Queued as ${accepted.deploy_id}. See it with: svc logs ${accepted.name} -f`);
    output.result({ ...accepted, state: deployment?.state ?? accepted.state }, [accepted.url]);
    return 0;
  }

  /** A token made here is kept for the next commands, unless somebody else is signed in at this control plane. */
  async #accessToken(): Promise<string | undefined> {
    const token = this.token ?? this.context.settings.token;
    if (token !== undefined || !this.dockerToken) return token;
    const { signInLocally } = await import('../login/local.ts');
    const { credentialOf } = await import('../oidc.ts');
    const from = { issuer: `${this.apiUrl}/idp`, clientId: CLI_CLIENT_ID, email: this.tokenEmail };
    const tokens = await signInLocally({ ...from, scope: SCOPES.join(' '), secretsDir: this.context.settings.secretsDir });
    const made = credentialOf(tokens, from, Date.now());
    await this.store.update(this.apiUrl, (current) => (current === undefined || current.email === this.tokenEmail ? made : current));
    return made.access_token;
  }
}

async function waitForControlPlane(api: string, note: (text: string) => void): Promise<void> {
  const deadline = performance.now() + WAIT_FOR_CONTROL_PLANE_MS;
  for (let tries = 0; ; tries++) {
    if (await isReady(api)) return;
    if (performance.now() > deadline)
      throw new CliError(`The control plane at ${api} did not come up within two minutes. Look at: npm run status`, EXIT.unreachable);
    if (tries === 4) note(`Waiting for the control plane at ${api} …`);
    await sleep(250);
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
