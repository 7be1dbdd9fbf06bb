import { resolve } from 'node:path';
import { Command, Option, UsageError } from 'clipanion';
import { Entrypoint } from '../../contract/wire/names.ts';
import { serveProject } from '../project/load.ts';
import { ProjectError } from '../project/problem.ts';
import { findEntry } from '../project/read.ts';
import { linkSdk } from '../project/sdk.ts';

export class RunCommand extends Command {
  static override paths = [['run']];
  static override usage = Command.Usage({
    category: 'Author',
    description: "Run the agent's HTTP server on this machine.",
    details: 'With SVC_API_KEY set, callers need it as bearer. Secrets are read from the environment by the names in requiredSecrets.',
    examples: [['The class Greeter of agent.ts', 'svc run --entrypoint agent:Greeter']],
  });

  entrypoint = Option.String('--entrypoint,-e', { required: true, description: 'module:Class' });
  host = Option.String('--host', '0.0.0.0', { description: 'Address to listen on.' });
  port = Option.String('--port', '8000', { description: 'Port to listen on; 0 picks a free one.' });
  project = Option.String('--project,-p', '.', { description: 'Folder of the project.' });

  override async execute(): Promise<number> {
    const entrypoint = Entrypoint.safeParse(this.entrypoint);
    if (!entrypoint.success) throw new UsageError(`--entrypoint: ${entrypoint.error.issues[0]?.message}`);
    const port = Number(this.port);
    if (!/^\d{1,5}$/.test(this.port) || port > 65_535) throw new UsageError(`--port: "${this.port}" is not a port`);
    try {
      const folder = resolve(this.project);
      const entry = findEntry(folder, entrypoint.data);
      await linkSdk(folder);
      return await this.#serve(folder, entry, port);
    } catch (error) {
      if (!(error instanceof ProjectError)) throw error;
      this.context.stderr.write(`${error.message}\n`);
      return 1;
    }
  }

  async #serve(folder: string, entry: ReturnType<typeof findEntry>, wanted: number): Promise<number> {
    const { card, port, child } = await serveProject(folder, entry, { host: this.host, port: wanted });
    const url = `http://${this.host === '0.0.0.0' || this.host === '::' ? 'localhost' : this.host}:${port}`;
    const [first] = card.skills;
    this.context.stdout.write(`${card.name} ${card.version} serves ${url} (stop with Ctrl-C)\n`);
    if (first) this.context.stdout.write(`  curl -X POST ${url}/invoke/${first.id} -H 'content-type: application/json' -d '{…}'\n`);
    // A terminal sends the signal to both; a supervisor to this process only.
    const pass = (signal: NodeJS.Signals): void => void child.kill(signal);
    process.on('SIGINT', pass).on('SIGTERM', pass);
    try {
      return await new Promise<number>(resolve => child.once('exit', code => resolve(code ?? 1)));
    } finally {
      process.off('SIGINT', pass).off('SIGTERM', pass);
    }
  }
}
