import { Command, Option } from 'clipanion';
import type { CliContext } from '../lib/context.ts';

export class CardCommand extends Command<CliContext> {
  static override paths = [['card']];
  static override usage = Command.Usage({ description: 'print the agent card as JSON', examples: [['The project in this folder', 'svc card']] });

  project = Option.String('--project,-p', '.', { description: 'folder of the project' });
  json = Option.Boolean('--json', false, { description: 'print JSON, as it always does' });

  async execute(): Promise<number> {
    const { checkProject } = await import('../project/check.ts');
    const { card } = await checkProject(this.project);
    this.context.stdout.write(`${JSON.stringify(card, null, 2)}\n`);
    return 0;
  }
}
