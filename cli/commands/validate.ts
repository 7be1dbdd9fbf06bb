import { Command, Option } from 'clipanion';
import type { CliContext } from '../lib/context.ts';
import { EXIT } from '../lib/exit-codes.ts';

export class ValidateCommand extends Command<CliContext> {
  static override paths = [['validate']];
  static override usage = Command.Usage({
    description: 'load the agent, check it, and print the schemas of its skills',
    details: 'Exits 1 when there is a problem; each line names the file, the line and what to do. With --json the problems are one document, too.',
    examples: [
      ['The project in this folder', 'svc validate'],
      ['For an editor or CI', 'svc validate --json'],
    ],
  });

  project = Option.String('--project,-p', '.', { description: 'folder of the project' });
  json = Option.Boolean('--json', false, { description: 'print one document also when something is wrong: valid, problems' });

  async execute(): Promise<number> {
    const { checkProject } = await import('../project/check.ts');
    const checked = await checkProject(this.project).catch(async (error: unknown) => {
      const { ProjectError } = await import('../project/problem.ts');
      if (!this.json || !(error instanceof ProjectError)) throw error;
      return error.problems;
    });
    if (!('card' in checked)) {
      this.context.stdout.write(`${JSON.stringify({ valid: false, problems: checked }, null, 2)}\n`);
      return EXIT.failure;
    }
    const { card } = checked;
    const skills = Object.fromEntries(card.skills.map(({ id, input_schema, output_schema }) => [id, { input_schema, output_schema }]));
    this.context.stdout.write(
      `${JSON.stringify({ ...(this.json && { valid: true, problems: [] }), name: card.name, version: card.version, skills }, null, 2)}\n`,
    );
    this.context.stderr.write(`ok: ${card.name} ${card.version}, ${card.skills.length} ${card.skills.length === 1 ? 'skill' : 'skills'}\n`);
    return 0;
  }
}
