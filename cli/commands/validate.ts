import { Command, Option } from 'clipanion';
import { checkProject } from '../project/check.ts';
import { ProjectError } from '../project/problem.ts';

export class ValidateCommand extends Command {
  static override paths = [['validate']];
  static override usage = Command.Usage({
    category: 'Author',
    description: 'Load the agent, check it, and print the schemas of its skills.',
    details: 'Exits 1 when something is wrong; each line names the file, the line and what to do.',
  });

  project = Option.String('--project,-p', '.', { description: 'Folder of the project.' });

  override async execute(): Promise<number> {
    try {
      const { card } = await checkProject(this.project);
      const schemas = Object.fromEntries(card.skills.map(({ id, input_schema, output_schema }) => [id, { input_schema, output_schema }]));
      this.context.stdout.write(`${JSON.stringify({ name: card.name, version: card.version, skills: schemas }, null, 2)}\n`);
      this.context.stderr.write(`ok: ${card.name} ${card.version}, ${card.skills.length} ${card.skills.length === 1 ? 'skill' : 'skills'}\n`);
      return 0;
    } catch (error) {
      if (!(error instanceof ProjectError)) throw error;
      this.context.stderr.write(`${error.message}\n`);
      return 1;
    }
  }
}
