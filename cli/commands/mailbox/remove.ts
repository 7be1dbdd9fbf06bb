import { Command, Option } from 'clipanion';
import { ApiCommand } from '../../command-base.ts';

export class MailboxRemoveCommand extends ApiCommand {
  static override paths = [['mailbox', 'remove']];
  static override usage = Command.Usage({
    description: 'remove the mailbox of your agent: mail to its address is refused at once',
    examples: [['One agent', 'svc mailbox remove reporter']],
  });

  agent = Option.String({ name: 'AGENT' });
  json = Option.Boolean('--json', false, { description: 'print JSON' });

  async execute(): Promise<number> {
    await this.client().agentMailboxes.remove({ params: { name: this.agent } });
    const output = this.output(this.json);
    output.hint(`The mailbox of ${this.agent} is removed.`);
    output.result({ agent: this.agent, removed: true }, []);
    return 0;
  }
}
