import { Command, Option } from 'clipanion';
import { integer } from '../lib/api-command.ts';
import type { CliContext } from '../lib/context.ts';

export class RunCommand extends Command<CliContext> {
  static override paths = [['run']];
  static override usage = Command.Usage({
    description: "run the agent's HTTP server on this machine",
    details:
      'Changed files are reloaded while it runs. With SVC_API_KEY set, callers need it as bearer. Secrets are read from the environment by the names in requiredSecrets.',
    examples: [
      ['The project in this folder', 'svc run'],
      ['The class Greeter of agent.ts', 'svc run --entrypoint agent:Greeter'],
    ],
  });

  entrypoint = Option.String('--entrypoint,-e', { description: 'module:Class (default: the entrypoint of svc.yaml)' });
  host = Option.String('--host', '0.0.0.0', { description: 'address to listen on' });
  port = Option.String('--port', '8000', { description: 'port to listen on; 0 picks a free one' });
  project = Option.String('--project,-p', '.', { description: 'folder of the project' });
  reload = Option.Boolean('--reload', true, { description: 'take changed files up; --no-reload leaves them' });
  verbose = Option.Boolean('--verbose', false, { description: 'print traces whole, with the frames of the SDK and of Node' });
  json = Option.Boolean('--json', false, { description: 'print one JSON document per line: where it serves, and each reload' });

  async execute(): Promise<number> {
    const port = integer('--port', this.port, { min: 0, max: 65_535 });
    const { stdin, stdout, stderr } = this.context;
    const { runProject } = await import('../project/run.ts');
    return await runProject(
      {
        folder: this.project,
        entrypoint: this.entrypoint ?? (await entrypointOf(this.project)),
        host: this.host,
        port,
        keyed: Boolean(this.context.env['SVC_API_KEY']),
        reload: this.reload,
        verbose: this.verbose,
        json: this.json,
      },
      { out: stdout, err: stderr, terminal: { input: stdin, output: stderr, interactive: isTerminal(stdin) && isTerminal(stderr) } },
    );
  }
}

/** @throws ProjectError where there is no project */
async function entrypointOf(folder: string): Promise<string> {
  const { readProject } = await import('../project/read.ts');
  return (await readProject(folder)).manifest.entrypoint;
}

function isTerminal(stream: object): boolean {
  return 'isTTY' in stream && stream.isTTY === true;
}
