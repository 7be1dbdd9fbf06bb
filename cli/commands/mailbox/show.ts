import { Command, Option } from 'clipanion';
import { ApiCommand } from '../../command-base.ts';
import { plain, table } from '../../output.ts';
import { agentName } from '../../project/name.ts';

export class MailboxShowCommand extends ApiCommand {
  static override paths = [['mailbox', 'show']];
  static override usage = Command.Usage({
    description: 'show the mailbox of your agent: its address, its state, who may write',
    examples: [
      ['One agent', 'svc mailbox show reporter'],
      ['The project in this folder', 'svc mailbox show'],
    ],
  });

  agent = Option.String({ required: false, name: 'AGENT' });
  project = Option.String('--project,-p', '.', { description: 'folder of the project, when no agent is named' });
  json = Option.Boolean('--json', false, { description: 'print JSON' });

  async execute(): Promise<number> {
    const name = await agentName(this.agent, this.project);
    const box = await this.client().agentMailboxes.get({ params: { name } });
    const output = this.output(this.json);
    output.result(box, () =>
      table(
        ['MAILBOX', ''],
        [
          ['Address', box.address],
          ['State', box.error === null ? box.state : `${box.state}: ${plain(box.error.message)}`],
          ['May write', ['you', ...box.declared_senders.map((one) => `${one} (svc.yaml)`), ...box.allowed_senders].map(plain).join(', ')],
          ['Sent in 24 h', `${box.sent_today} of ${box.send_limit}`],
          ['Kept', `${box.size_bytes} of ${box.max_bytes} bytes`],
        ],
      ),
    );
    if (!box.has_on_email) output.hint(`${name} has no skill on_email in its live deployment: mail to it is kept, and runs nothing. Add the skill and deploy.`);
    return 0;
  }
}
