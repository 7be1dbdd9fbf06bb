import { Command, Option } from 'clipanion';
import { ApiCommand, integer } from '../../command-base.ts';
import { plain, table } from '../../output.ts';
import { agentName } from '../../project/name.ts';

export class MailboxEventsCommand extends ApiCommand {
  static override paths = [['mailbox', 'events']];
  static override usage = Command.Usage({
    description: 'list what happened to the mail of your agent, newest first, and why mail was skipped',
    examples: [
      ['The newest', 'svc mailbox events reporter'],
      ['The page after it', 'svc mailbox events reporter --cursor CURSOR'],
    ],
  });

  agent = Option.String({ required: false, name: 'AGENT' });
  project = Option.String('--project,-p', '.', { description: 'folder of the project, when no agent is named' });
  limit = Option.String('--limit', '50', { description: 'how many, 1 to 200' });
  cursor = Option.String('--cursor', { description: 'next_cursor of the page before' });
  json = Option.Boolean('--json', false, { description: 'print JSON' });

  async execute(): Promise<number> {
    const name = await agentName(this.agent, this.project);
    const limit = integer('--limit', this.limit, { min: 1, max: 200 });
    const page = await this.client().agentMailboxes.events({ params: { name }, query: { limit, ...(this.cursor !== undefined && { cursor: this.cursor }) } });
    const output = this.output(this.json);
    output.result(page, () => {
      const rows = page.items.map(({ at, kind, why, detail, correspondent, subject }) => [
        at.slice(0, 19).replace('T', ' '),
        kind,
        [why, detail].filter((one) => one !== null).join(' '),
        plain(correspondent ?? ''),
        plain(subject ?? '').slice(0, 60),
      ]);
      return rows.length === 0 ? [] : table(['AT (UTC)', 'EVENT', 'WHY', 'WITH', 'SUBJECT'], rows);
    });
    if (page.items.length === 0) output.hint(`Nothing happened yet. The address is shown by: svc mailbox show ${name}`);
    if (page.next_cursor !== null) output.hint(`More: svc mailbox events ${name} --cursor ${page.next_cursor}`);
    return 0;
  }
}
