import { Command, Option } from 'clipanion';
import type { CliContext } from '../lib/context.ts';
import { CliError } from '../lib/errors.ts';
import { Output } from '../lib/output.ts';
import { Stubs } from '../use/stubs.ts';

export class UnuseCommand extends Command<CliContext> {
  static override paths = [['unuse']];
  static override usage = Command.Usage({
    description: "forget an agent's commands",
    details: 'What you have set up for it at the control plane stays.',
    examples: [['Commands that svc use made', 'svc unuse text-kit']],
  });

  agent = Option.String({ name: 'AGENT' });
  json = Option.Boolean('--json', false, { description: 'print JSON' });

  async execute(): Promise<number> {
    const stubs = new Stubs(this.context.settings.home);
    if (await stubs.remove(this.agent)) {
      const output = new Output(this.context, this.json);
      output.note(`${this.agent} is no longer in use.`);
      output.result({ agent: this.agent, in_use: false }, []);
      return 0;
    }
    const names = await stubs.names();
    throw new CliError(`${this.agent} is not in use. ${names.length === 0 ? 'No agent is.' : `In use: ${names.join(', ')}`}`);
  }
}
