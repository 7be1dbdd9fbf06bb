import { Command, Option } from 'clipanion';
import type { CliContext } from '../../lib/context.ts';
import { Output } from '../../lib/output.ts';

export class FrontendBuildCommand extends Command<CliContext> {
  static override paths = [['frontend', 'build']];
  static override usage = Command.Usage({
    description: 'build the packed frontend declared in svc.yaml',
    details:
      'Installs its packages when they are missing, runs its build command and checks that dist/index.html is there. A deploy does the same in a machine of the platform.',
    examples: [['The project in this folder', 'svc frontend build']],
  });

  project = Option.String('--project,-p', '.', { description: 'folder of the project' });
  json = Option.Boolean('--json', false, { description: 'print JSON' });

  async execute(): Promise<number> {
    const [{ readProject }, { buildFrontend }] = await Promise.all([import('../../project/read.ts'), import('../../project/frontend.ts')]);
    const frontend = await buildFrontend(await readProject(this.project), this.context.stderr);
    new Output(this.context, this.json).result(frontend, [frontend.dist]);
    return 0;
  }
}
