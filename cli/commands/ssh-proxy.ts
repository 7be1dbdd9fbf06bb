import { Command, Option } from 'clipanion';
import { ApiCommand } from '../lib/api-command.ts';
import { plain } from '../lib/output.ts';

export class SshProxyCommand extends ApiCommand {
  static override paths = [['ssh-proxy']];
  static override usage = Command.Usage({
    description: 'carry one SSH connection to a dev box between standard input and output; ssh starts it as its ProxyCommand',
    details: 'svc ssh writes it into the configuration of ssh; you do not run it yourself.',
    examples: [['As ssh starts it', 'svc ssh-proxy reporter']],
  });

  agent = Option.String({ name: 'AGENT' });
  json = Option.Boolean('--json', false, { description: 'write notes as JSON, one a line, on standard error' });

  async execute(): Promise<number> {
    const { askForBox, joinTunnel } = await import('../ssh/tunnel.ts');
    const output = this.output();
    const note = (text: string): void => output.note(this.json ? JSON.stringify({ note: text }) : plain(text));
    const where = { home: this.context.settings.home, api: this.apiUrl, agent: this.agent };
    const { box } = await askForBox(this.client(), where, { renew: false });
    const { stdin, stdout } = this.context;
    await joinTunnel(box, stdin, stdout, note);
    return 0;
  }
}
