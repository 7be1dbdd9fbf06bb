import { Command, Option } from 'clipanion';
import { ApiCommand } from '../lib/api-command.ts';
import { CliError } from '../lib/errors.ts';
import { EXIT } from '../lib/exit-codes.ts';

export class CloneCommand extends ApiCommand {
  static override paths = [['clone']];
  static override usage = Command.Usage({
    description: "clone your agent's source, ready to push",
    details:
      'A push to main deploys, and git push prints the build log. git asks this tool for a token each time (svc git-credential), so that none is in a file. With --remote the repository of --project gets the agent as a remote, and nothing is cloned.',
    examples: [
      ['Into the folder greeter', 'svc clone greeter'],
      ['A project that is in git already', 'svc clone greeter --remote svc'],
    ],
  });

  agent = Option.String({ name: 'AGENT' });
  folder = Option.String({ required: false, name: 'FOLDER' });
  remote = Option.String('--remote', { description: 'add it as this remote of an existing repository' });
  project = Option.String('--project,-p', '.', { description: 'folder of that repository, with --remote' });
  json = Option.Boolean('--json', false, { description: 'print JSON' });

  async execute(): Promise<number> {
    const source = await this.client().agents.source({ params: { name: this.agent } });
    const [{ credentialSettings }, { runGit }] = [await import('../git/settings.ts'), await import('../git/run.ts')];
    const launcher = [process.execPath, process.argv[1] ?? 'svc'];
    const settings = credentialSettings(this.apiUrl, { path: this.context.env.PATH, launcher });
    const [output, folder] = [this.output(this.json), this.folder ?? source.name];
    const git = async (args: readonly string[]): Promise<void> => {
      const code = await runGit(this.context, args);
      if (code !== 0) throw new CliError('git failed; its words are above.', EXIT.failure);
    };
    // The address by which this tool reaches the platform, which need not be the platform's own word for
    // itself.
    const url = `${this.apiUrl}${new URL(source.clone_url).pathname}`;
    if (this.remote === undefined) {
      await git(['clone', ...settings.flatMap(({ name, value }) => ['--config', `${name}=${value}`]), '--', url, folder]);
      output.hint(`Change it, commit, then deploy it with: git -C ${folder} push origin HEAD:${source.default_branch}`);
      output.result({ ...source, folder }, [folder]);
      return 0;
    }
    const at = ['-C', this.project];
    await git([...at, 'remote', 'add', '--', this.remote, url]);
    for (const [n, { name, value }] of settings.entries()) await git([...at, 'config', '--local', ...(n === 0 ? ['--replace-all'] : ['--add']), name, value]);
    output.hint(`Deploy what is committed with: git push ${this.remote} HEAD:${source.default_branch}`);
    output.result({ ...source, remote: this.remote }, [url]);
    return 0;
  }
}
