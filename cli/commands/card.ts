import { Command, Option } from 'clipanion';
import { checkProject } from '../project/check.ts';
import { ProjectError } from '../project/problem.ts';

export class CardCommand extends Command {
  static override paths = [['card']];
  static override usage = Command.Usage({ category: 'Author', description: 'Print the agent card as JSON.', examples: [['Of the project in this folder', 'svc card']] });

  project = Option.String('--project,-p', '.', { description: 'Folder of the project.' });

  override async execute(): Promise<number> {
    try {
      const { card } = await checkProject(this.project);
      this.context.stdout.write(`${JSON.stringify(card, null, 2)}\n`);
      return 0;
    } catch (error) {
      if (!(error instanceof ProjectError)) throw error;
      this.context.stderr.write(`${error.message}\n`);
      return 1;
    }
  }
}
