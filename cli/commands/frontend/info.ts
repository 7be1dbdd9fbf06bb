import { Command, Option } from 'clipanion';
import type { CliContext } from '../../lib/context.ts';

export class FrontendInfoCommand extends Command<CliContext> {
  static override paths = [['frontend', 'info']];
  static override usage = Command.Usage({
    description: 'print the resolved packed-frontend config as JSON',
    examples: [['Where it is served', 'svc frontend info | jq -r .mount']],
  });

  project = Option.String('--project,-p', '.', { description: 'folder of the project' });
  json = Option.Boolean('--json', false, { description: 'print JSON, as it always does' });

  async execute(): Promise<number> {
    const [{ readProject }, { checkBuilt, frontendOf }] = await Promise.all([import('../../project/read.ts'), import('../../project/frontend.ts')]);
    const frontend = frontendOf(await readProject(this.project));
    const built = await checkBuilt(frontend).then(
      () => true,
      () => false,
    );
    this.context.stdout.write(`${JSON.stringify({ ...frontend, built }, null, 2)}\n`);
    return 0;
  }
}
