import { Command, Option } from 'clipanion';
import type { CliContext } from '../lib/context.ts';
import { UsageError } from '../lib/errors.ts';
import { Output } from '../lib/output.ts';

export class BuildCommand extends Command<CliContext> {
  static override paths = [['build']];
  static override usage = Command.Usage({
    description: 'build the container image, and push it if asked to',
    details:
      'The image is an OCI layout in .svc/image, made on this machine without a container tool: the runtime with the libraries it is linked to, and the agent. It listens on PORT (default 8000); SVC_API_KEY and required secrets come from its environment. Pushing needs skopeo. A file that looks like a key is named, and nothing is packed without --allow-secrets. A deploy builds the agent itself and does not need this image.',
    examples: [
      ['Build, then run it', 'svc build && skopeo copy oci:.svc/image docker-daemon:greeter:0.1.0 && docker run -p 8000:8000 greeter:0.1.0'],
      ['Build and push', 'svc build --registry registry.example/team --push'],
    ],
  });

  project = Option.String('--project,-p', '.', { description: 'folder of the project' });
  registry = Option.String('--registry', 'localhost:5000', { description: 'where the image is pushed to, and the first part of its name' });
  push = Option.Boolean('--push', false, { description: 'push it' });
  allowSecrets = Option.Boolean('--allow-secrets', false, { description: 'pack files that look like keys, too' });
  json = Option.Boolean('--json', false, { description: 'print JSON' });

  async execute(): Promise<number> {
    if (!/^[a-z0-9][a-z0-9.-]*(?::\d{1,5})?(?:\/[a-z0-9]+(?:[._-][a-z0-9]+)*)*$/.test(this.registry)) {
      throw new UsageError(`--registry: "${this.registry}" is not the address of a registry: use host[:port][/path], without a scheme`);
    }
    const { buildImage, pushImage } = await import('../project/image/build.ts');
    const output = new Output(this.context, this.json);
    const say = (text: string): void => output.raw(text);
    const image = await buildImage(this.project, this.registry, say, { allowSecrets: this.allowSecrets });
    output.note(`Built ${image.reference} (${(image.bytes / 1_048_576).toFixed(0)} MiB) in ${image.layout}`);
    if (this.push) {
      await pushImage(image, say);
      output.note(`Pushed ${image.reference}`);
    }
    output.result({ ...image, pushed: this.push }, [`${image.reference}@${image.digest}`]);
    return 0;
  }
}
