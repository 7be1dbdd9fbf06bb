import { Command, Option } from 'clipanion';
import { ApiCommand } from '../../command-base.ts';
import { EXIT } from '../../exit-codes.ts';
import { plain, table } from '../../output.ts';
import { agentName } from '../../project/name.ts';

export class RehearseScenariosCommand extends ApiCommand {
  static override paths = [['rehearse', 'scenarios']];
  static override usage = Command.Usage({
    description: 'list the scenarios that agents are rehearsed against',
    details: 'With --json each is printed step by step: a suite of your own is made of the same words.',
    examples: [
      ['Names and topics', 'svc rehearse scenarios'],
      ['To start a suite from', 'svc rehearse scenarios greeter --json'],
    ],
  });

  agent = Option.String({ required: false, name: 'AGENT' });
  project = Option.String('--project,-p', '.', { description: 'folder of the project, when no agent is named' });
  json = Option.Boolean('--json', false, { description: 'print JSON' });

  async execute(): Promise<number> {
    const name = await agentName(this.agent, this.project);
    const { items } = await this.client().protocolSimulations.templates({ params: { name } });
    const rows = items.map(({ scenario, steps, summary }) => [scenario, String(steps.length), plain(summary)]);
    this.output(this.json).result({ scenarios: items }, () => table(['SCENARIO', 'STEPS', 'TOPIC'], rows));
    return EXIT.ok;
  }
}
