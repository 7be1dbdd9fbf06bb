import { join, resolve } from 'node:path';
import { Command, Option } from 'clipanion';
import { ApiCommand, integer } from '../lib/api-command.ts';
import { UsageError } from '../lib/errors.ts';

const ENV_FILE = '.env.local';

export class ChatCommand extends ApiCommand {
  static override paths = [['chat']];
  static override usage = Command.Usage({
    description: "talk with this project's agent on this machine, or with a deployed one",
    details:
      'In a project: brings up the database and vector store that svc.yaml declares (resources: database, vector_store) by Docker with Compose, or, without Docker, as PostgreSQL servers on this machine; runs the agent, reloads changed files, and lets you call its tools line by line. With AGENT, --thread or --platform: a conversation with deployed agents, in a thread that can be continued later. Questions are asked here; runs continue when you leave.',
    examples: [
      ['This project', 'svc chat'],
      ['With services of your own, their addresses in .env.local', 'svc chat --no-up'],
      ['A deployed agent', 'svc chat reporter'],
      ['The platform: it finds who can do it', 'svc chat --platform'],
      ['Take a conversation up again', 'svc chat --thread thr_0193…'],
    ],
  });

  agent = Option.String({ required: false, name: 'AGENT' });
  thread = Option.String('--thread', { description: 'continue this conversation with deployed agents' });
  platform = Option.Boolean('--platform', false, { description: 'talk with the platform instead of one agent' });
  project = Option.String('--project,-p', '.', { description: 'folder of the project' });
  host = Option.String('--host', '127.0.0.1', { description: 'address to listen on' });
  port = Option.String('--port', '8000', { description: 'port to listen on; 0 picks a free one' });
  reload = Option.Boolean('--reload', true, { description: 'take changed files up' });
  envFile = Option.String('--env-file', { description: `secrets and settings, NAME=value a line (default: ${ENV_FILE} if it is there)` });
  workspace = Option.String('--workspace', { description: "folder to use as the caller's workspace" });
  build = Option.Boolean('--build', true, { description: 'with --detach: build the image first' });
  up = Option.Boolean('--up', true, { description: 'bring up the declared resources' });
  detach = Option.Boolean('--detach', false, { description: 'run all of it in containers, the agent too, and end' });
  foreground = Option.Boolean('--foreground', false, { description: 'run the agent here and talk with it (the default)' });
  down = Option.Boolean('--down', false, { description: 'end what was brought up' });
  volumes = Option.Boolean('--volumes', false, { description: 'with --down: remove its data, too' });
  printCompose = Option.Boolean('--print-compose', false, { description: 'print the Compose file, and do nothing' });
  baseImage = Option.String('--base-image', 'python:3.11-slim', { description: "image that the agent's is made on" });
  json = Option.Boolean('--json', false, { description: 'print one JSON document per line: each result, each message' });

  async execute(): Promise<number> {
    if (this.agent !== undefined || this.thread !== undefined || this.platform) return await this.#withPlatform();
    if (this.volumes && !this.down) throw new UsageError('--volumes goes with --down.');
    if (this.detach && (this.foreground || !this.up)) throw new UsageError(`Choose one of --detach and ${this.foreground ? '--foreground' : '--no-up'}.`);
    const port = integer('--port', this.port, { min: 0, max: 65_535 });
    const { readProject } = await import('../project/read.ts');
    const { composeFile, resourcesOf } = await import('../chat/compose.ts');
    const { folder, manifest } = await readProject(this.project);
    const { name, resources = {} } = manifest;
    const workspace = this.workspace === undefined ? undefined : resolve(this.workspace);
    const envFile = { path: this.envFile ?? ENV_FILE, named: this.envFile !== undefined };
    const text = composeFile({ agent: name, resources, baseImage: this.baseImage, host: this.host, port, envFile: envFile.path, workspace });
    const output = this.output(this.json);
    if (this.printCompose) {
      // JSON is YAML, too: Compose takes either.
      this.context.stdout.write(this.json ? `${JSON.stringify((await import('yaml')).parse(text), null, 2)}\n` : text);
      return 0;
    }
    const { bringUp, dockerWorks, takeDown, writeCompose } = await import('../chat/docker.ts');
    const compose = { folder: join(folder, '.svc'), say: (line: string) => output.raw(line) };
    const declared = resourcesOf(resources);
    if (this.down || this.detach || (this.up && declared.length > 0)) await writeCompose(compose, text);
    if (this.detach) return await this.#inContainers(compose, folder);
    const containers = (this.down || (this.up && declared.length > 0)) && (await dockerWorks(folder));
    if (this.down) {
      const { stopPostgres } = await import('../chat/postgres.ts');
      await stopPostgres(folder, declared, this.volumes);
      if (containers) await takeDown(compose, this.volumes);
      output.result({ down: true, volumes: this.volumes }, []);
      return 0;
    }
    let settings: Record<string, string> = {};
    if (this.up && declared.length > 0) {
      const { startPostgres } = await import('../chat/postgres.ts');
      settings = containers ? await bringUp(compose, declared) : await startPostgres(folder, declared, (line) => output.note(line));
    }
    const { chatLocally } = await import('../chat/local.ts');
    const code = await chatLocally({ folder, host: this.host, port, reload: this.reload, workspace, settings, envFile, output, context: this.context });
    if (Object.keys(settings).length > 0) output.hint('Its resources are still up; end them with: svc chat --down');
    return code;
  }

  async #withPlatform(): Promise<number> {
    const { chatWithPlatform } = await import('../chat/platform.ts');
    const { client, context } = { client: this.client(), context: this.context };
    return await chatWithPlatform({ client, inbox: this.client().inbox, output: this.output(this.json), context, agent: this.agent, threadId: this.thread });
  }

  async #inContainers(compose: { folder: string; say: (text: string) => void }, folder: string): Promise<number> {
    const { bringUpAll, nameLayers } = await import('../chat/docker.ts');
    const output = this.output(this.json);
    if (this.build) {
      const { buildImage } = await import('../project/image/build.ts');
      const image = await buildImage(folder, 'localhost:5000', compose.say, { allowSecrets: true }); // it stays on this machine
      await nameLayers(image.layout, image.digest);
    }
    await bringUpAll(compose, this.build);
    output.hint('It keeps running without this command; stop it with: svc chat --down');
    const url = `http://${this.host}:${this.port}`;
    output.result({ url }, [url]);
    return 0;
  }
}
