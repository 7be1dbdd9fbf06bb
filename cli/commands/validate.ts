import { Command, Option } from 'clipanion';
import type { CliContext } from '../context.ts';

export class ValidateCommand extends Command<CliContext> {
  static override paths = [['validate']];
  static override usage = Command.Usage({
    description: 'load the agent, check it, and print the schemas of its skills',
    details: 'Exits 1 when something is wrong; each line names the file, the line and what to do.',
  });

  project = Option.String('--project,-p', '.', { description: 'folder of the project' });

  async execute(): Promise<number> {
    const { checkProject } = await import('../project/check.ts');
    const { card } = await checkProject(this.project);
    const skills = Object.fromEntries(card.skills.map(({ id, input_schema, output_schema }) => [id, { input_schema, output_schema }]));
    this.context.stdout.write(`${JSON.stringify({ name: card.name, version: card.version, skills }, null, 2)}\n`);
    this.context.stderr.write(`ok: ${card.name} ${card.version}, ${card.skills.length} ${card.skills.length === 1 ? 'skill' : 'skills'}\n`);
    return 0;
  }
}
