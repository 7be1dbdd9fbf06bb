import { resolve } from 'node:path';
import { Command, Option } from 'clipanion';
import { ApiCommand, integer, MODEL_RECORDINGS } from '../lib/api-command.ts';
import { UsageError } from '../lib/errors.ts';
import type { RecordingGateway } from '../recordings/gateway.ts';

const ENV_FILE = '.env.local';

export class DevCommand extends ApiCommand {
  static override paths = [['dev']];
  static override usage = Command.Usage({
    description: "work in the agent's dev box: keep the project the same here and there, reload changed files, serve it at its own address",
    details:
      'Files go both ways, without what .gitignore and .svcignore leave out of deploys; a file that looks like a key is named, and nothing is copied without --allow-secrets. Where both sides changed a file, the newer one keeps its name and the other is saved beside it. Only you can open the address: sign in with the browser, or send your access token. After Ctrl-C the box sleeps and keeps its files. With --local the agent runs on this machine instead.',
    examples: [
      ['The project in this folder, in its dev box', 'svc dev'],
      ['On this machine', 'svc dev --local'],
      ['In the box of an agent of another name', 'svc dev --agent reporter-next'],
    ],
  });

  project = Option.String('--project,-p', '.', { description: 'folder of the project' });
  host = Option.String('--host', '127.0.0.1', { description: 'address that the agent listens on, in the box or with --local here' });
  port = Option.String('--port', '8000', { description: 'port that it listens on; with --local 0 picks a free one' });
  reload = Option.Boolean('--reload', true, { description: 'take changed files up; --no-reload leaves them until the next start' });
  envFile = Option.String('--env-file', {
    description: `secrets and settings, NAME=value a line (default: ${ENV_FILE} if it is there); never stored in the box`,
  });
  workspace = Option.String('--workspace', { description: "folder of the project to use as the caller's workspace" });
  docker = Option.Boolean('--docker', false, { description: "run the agent's container image on this machine, with Docker" });
  hostRuntime = Option.Boolean('--host-runtime', false, { description: 'run the agent as a process (the default)' });
  local = Option.Boolean('--local', false, { description: 'run on this machine, without a dev box' });
  record = Option.Boolean('--record', false, { description: 'with --local: ask language models and keep their answers (svc test --replay)' });
  replay = Option.Boolean('--replay', false, { description: 'with --local: answer for language models, from what was recorded' });
  recordings = Option.String('--recordings', MODEL_RECORDINGS, { description: 'folder of the project for recorded answers' });
  verbose = Option.Boolean('--verbose', false, { description: 'with --local: print traces whole, with the frames of the SDK and of Node' });
  agent = Option.String('--agent', { description: 'whose dev box (default: the name in svc.yaml)' });
  allowSecrets = Option.Boolean('--allow-secrets', false, { description: 'copy files that look like keys into the box, too' });
  json = Option.Boolean('--json', false, { description: 'print events as JSON, one a line' });

  async execute(): Promise<number> {
    if (this.docker && this.hostRuntime) throw new UsageError('Choose one of --docker and --host-runtime.');
    if (this.local && this.agent !== undefined) throw new UsageError('--agent names a dev box: it does not go with --local.');
    if (this.record && this.replay) throw new UsageError('Choose one of --record and --replay.');
    if ((this.record || this.replay) && !this.local) throw new UsageError('--record and --replay work on this machine: add --local.');
    const here = this.local || this.docker;
    const port = integer('--port', this.port, { min: here ? 0 : 1, max: 65_535 });
    const { readProject } = await import('../project/read.ts');
    const { folder, manifest } = await readProject(this.project);
    const envFile = { path: this.envFile ?? ENV_FILE, named: this.envFile !== undefined };
    const { readEnvFile } = await import('../project/env-file.ts');
    const env = await readEnvFile(folder, envFile);
    if (this.docker) return await this.#inContainer(folder, manifest, port, envFile.path);
    if (this.local) {
      const { runProject } = await import('../project/run.ts');
      const models = await this.#models(folder, { ...env, ...process.env });
      const { stdin, stdout, stderr } = this.context;
      const whole = { ...env, ...process.env, ...models?.env };
      const options = {
        folder,
        entrypoint: manifest.entrypoint,
        host: this.host,
        port,
        keyed: Boolean(whole.SVC_API_KEY),
        reload: this.reload,
        verbose: this.verbose,
        env: whole,
        json: this.json,
      };
      const workspace = this.workspace === undefined ? undefined : resolve(this.workspace);
      try {
        return await runProject(
          { ...options, workspace },
          { out: stdout, err: stderr, terminal: { input: stdin, output: stderr, interactive: this.context.interactive } },
        );
      } finally {
        await models?.close();
      }
    }
    const { developInBox } = await import('../dev/command.ts');
    return await developInBox({
      client: this.client(),
      where: { home: this.context.settings.home, api: this.apiUrl, agent: this.agent ?? manifest.name },
      folder,
      host: this.host,
      port,
      reload: this.reload,
      allowSecrets: this.allowSecrets,
      workspace: this.workspace,
      env,
      output: this.output(this.json),
    });
  }

  async #models(folder: string, env: NodeJS.ProcessEnv): Promise<RecordingGateway | undefined> {
    if (!this.record && !this.replay) return undefined;
    const { startRecordingGateway } = await import('../recordings/gateway.ts');
    return await startRecordingGateway(resolve(folder, this.recordings), this.record ? 'record' : 'replay', env);
  }

  async #inContainer(
    folder: string,
    { name, resources = {} }: { name: string; resources?: object | undefined },
    port: number,
    envFile: string,
  ): Promise<number> {
    const { runInContainer } = await import('../dev/container.ts');
    const workspace = this.workspace === undefined ? undefined : resolve(this.workspace);
    return await runInContainer({ folder, name, resources, host: this.host, port, reload: this.reload, envFile, workspace, output: this.output(this.json) });
  }
}
