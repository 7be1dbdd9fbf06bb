import { Command, Option } from 'clipanion';
import { listing } from '../lib/api-command.ts';
import { LocalCommand } from '../login/local-command.ts';

export class LocalDeployCommand extends LocalCommand {
  static override paths = [['local-deploy']];
  static override usage = Command.Usage({
    description: 'deploy to the platform on this machine, without asking anything',
    details:
      'Without --token it makes an access token for a local account by the key file of the platform (.svc/secrets/local-login.key) and keeps it for the next commands, then uploads as deploy does.',
    examples: [['Deploy this folder, and wait until the agent is live', 'svc local-deploy --wait-agent']],
  });

  positional = Option.String({ required: false, name: 'PROJECT' });
  project = Option.String('--project,-p', '.', { description: 'folder of the project' });
  public = Option.Boolean('--public', { description: 'list it in the public registry' });
  private = Option.Boolean('--private', { description: 'do not list it' });
  waitAgent = Option.Boolean('--wait-agent', false, { description: 'wait until the agent is live' });
  validate = Option.Boolean('--validate', true, { description: 'check the project here before it is uploaded; --no-validate leaves that to the build' });
  allowSecrets = Option.Boolean('--allow-secrets', false, { description: 'upload files that look like keys, too' });
  json = Option.Boolean('--json', false, { description: 'print JSON' });

  async execute(): Promise<number> {
    const isPublic = listing(this.public, this.private);
    const output = this.output(this.json);
    await this.controlPlaneUp((text) => output.note(text));
    const client = this.client(await this.accessToken());
    const { upload, waitUntilLive } = await import('../deploy/deploy.ts');
    const accepted = await upload(
      client,
      { folder: this.positional ?? this.project, isPublic, validate: this.validate, allowSecrets: this.allowSecrets },
      output,
    );
    const deployment = this.waitAgent ? await waitUntilLive(client, accepted, output) : undefined;
    output.hint(deployment ? output.good('Live') : `Queued as ${accepted.deploy_id}. See it with: svc logs ${accepted.name} -f`);
    output.result({ ...accepted, state: deployment?.state ?? accepted.state }, [accepted.url]);
    return 0;
  }
}
