import { Command, Option } from 'clipanion';
import { ApiCommand } from '../../command-base.ts';

export class MailboxCreateCommand extends ApiCommand {
  static override paths = [['mailbox', 'create']];
  static override usage = Command.Usage({
    description: 'give your agent a mailbox; its skill on_email gets the mail',
    details: 'You may always write to it; other senders only if you allow them. A mailbox can be declared in svc.yaml, too.',
    examples: [
      ['For mail from yourself', 'svc mailbox create reporter'],
      ['From a colleague and a whole domain', 'svc mailbox create reporter --allow ada@example.com --allow @example.org'],
    ],
  });

  agent = Option.String({ name: 'AGENT' });
  allow = Option.Array('--allow', [], { description: 'an address or @domain that may write, repeatable' });
  json = Option.Boolean('--json', false, { description: 'print JSON' });

  async execute(): Promise<number> {
    const box = await this.client().agentMailboxes.create({ params: { name: this.agent }, body: { allowed_senders: this.allow } });
    const output = this.output(this.json);
    output.result(box, [box.address]);
    output.hint(`It is ready in a moment: svc mailbox show ${this.agent}`);
    return 0;
  }
}
