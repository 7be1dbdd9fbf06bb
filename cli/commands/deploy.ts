import { Command, Option } from 'clipanion';
import { ApiCommand, listing } from '../lib/api-command.ts';
import { plain } from '../lib/output.ts';

export class DeployCommand extends ApiCommand {
  static override paths = [['deploy']];
  static override usage = Command.Usage({
    description: 'ship the agent: upload the source, watch it being built, print its address',
    details:
      'Left out is what .gitignore and then .svcignore name, and always .env files. A file that looks like a key is named, and nothing is uploaded without --allow-secrets. Without --public or --private the listing follows expose.public of svc.yaml; without that key an existing agent keeps its listing and a new one is unlisted. Exits 1 when the deploy fails; ctrl-C leaves it running.',
    examples: [
      ['The project in this folder', 'svc deploy'],
      ['Another one, without waiting', 'svc deploy ./my-agent --no-wait'],
      ['What it would send', 'svc deploy --dry-run'],
    ],
  });

  positional = Option.String({ required: false, name: 'PROJECT' });
  project = Option.String('--project,-p', '.', { description: 'folder of the project' });
  public = Option.Boolean('--public', { description: 'list it in the public registry' });
  private = Option.Boolean('--private', { description: 'do not list it' });
  validate = Option.Boolean('--validate', true, { description: 'check the project here before it is uploaded; --no-validate leaves that to the build' });
  wait = Option.Boolean('--wait', true, { description: 'wait until it is live' });
  dryRun = Option.Boolean('--dry-run', false, { description: 'list what would be sent and what is left out, and why; send nothing' });
  allowSecrets = Option.Boolean('--allow-secrets', false, { description: 'upload files that look like keys, too' });
  json = Option.Boolean('--json', false, { description: 'print JSON' });

  async execute(): Promise<number> {
    const isPublic = listing(this.public, this.private);
    const folder = this.positional ?? this.project;
    if (this.dryRun) {
      const { dryRun } = await import('../deploy/dry-run.ts');
      return await dryRun(folder, this.allowSecrets, this.output(this.json));
    }
    const { upload, waitUntilLive } = await import('../deploy/deploy.ts');
    const { sayWhatNext } = await import('../deploy/next.ts');
    const output = this.output(this.json);
    const client = this.client();
    const accepted = await upload(client, { folder, isPublic, validate: this.validate, allowSecrets: this.allowSecrets }, output);
    if (!this.wait) {
      output.hint(`Queued as ${accepted.deploy_id}. See it with: svc logs ${accepted.name} -f`);
      output.result(accepted, [accepted.url]);
      return 0;
    }
    const deployment = await waitUntilLive(client, accepted, output);
    for (const warning of deployment.warnings) output.note(`Note: ${plain(warning.message)}`);
    if (deployment.warnings.some(({ code }) => code === 'secret_missing')) output.hint(`Set it with: svc secrets set ${accepted.name} NAME --restart`);
    output.note(output.good(`Live: ${accepted.name} ${deployment.version ?? ''}`.trimEnd()));
    await sayWhatNext(client, accepted, folder, output);
    output.result({ ...accepted, state: deployment.state, version: deployment.version, warnings: deployment.warnings }, [accepted.url]);
    return 0;
  }
}
