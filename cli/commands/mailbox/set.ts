import { Command, Option } from 'clipanion';
import { ApiCommand } from '../../command-base.ts';
import { UsageError } from '../../errors.ts';
import { plain } from '../../output.ts';

export class MailboxSetCommand extends ApiCommand {
  static override paths = [['mailbox', 'set']];
  static override usage = Command.Usage({
    description: 'change who may write to your agent; disable or enable its mailbox',
    details: 'A disabled mailbox refuses mail; its mail is kept for 30 days.',
    examples: [
      ['Allow one more', 'svc mailbox set reporter --allow bob@example.com'],
      ['Allow one less', 'svc mailbox set reporter --forbid @example.org'],
      ['Take no mail for now', 'svc mailbox set reporter --disable'],
    ],
  });

  agent = Option.String({ name: 'AGENT' });
  allow = Option.Array('--allow', [], { description: 'an address or @domain that may write from now on, repeatable' });
  forbid = Option.Array('--forbid', [], { description: 'one that may not any more, repeatable' });
  enable = Option.Boolean('--enable', false, { description: 'take mail again' });
  disable = Option.Boolean('--disable', false, { description: 'take no mail' });
  json = Option.Boolean('--json', false, { description: 'print JSON' });

  async execute(): Promise<number> {
    const { enable, disable } = this;
    if (enable && disable) throw new UsageError('Give --enable or --disable, not both.');
    const lists = this.allow.length + this.forbid.length > 0;
    if (!enable && !disable && !lists) throw new UsageError('Nothing to change: give --allow, --forbid, --enable or --disable.');
    const mailboxes = this.client().agentMailboxes;
    const params = { name: this.agent };
    const box = await mailboxes.update({
      params,
      body: {
        ...(lists && { allowed_senders: this.changed((await mailboxes.get({ params })).allowed_senders) }),
        ...((enable || disable) && { enabled: enable }),
      },
    });
    const output = this.output(this.json);
    output.result(box, [`${box.address}  ${box.state}`, ...box.allowed_senders.map((one) => `allowed  ${plain(one)}`)]);
    return 0;
  }

  private changed(before: readonly string[]): string[] {
    const gone = new Set(this.forbid.map((one) => one.toLowerCase()));
    const unknown = [...gone].find((one) => !before.includes(one));
    if (unknown !== undefined) throw new UsageError(`${unknown} is not among the senders set for ${this.agent}: see svc mailbox show ${this.agent}.`);
    return [...new Set([...before, ...this.allow.map((one) => one.toLowerCase())])].filter((one) => !gone.has(one));
  }
}
