// What ssh starts to reach a dev box.
import { customCommand } from '../lib/command.ts';
import { plain } from '../lib/output.ts';

export const commands = [
  customCommand('ssh-proxy', {
    about: 'carry one SSH connection to a dev box between standard input and output; ssh starts it as its ProxyCommand',
    details: 'svc ssh writes it into the configuration of ssh; you do not run it yourself.',
    examples: [['As ssh starts it', 'svc ssh-proxy reporter']],
    arguments: { agent: 'AGENT' },
    aboutJson: 'write notes as JSON, one a line, on standard error',
    run: async ({ agent, json }, { client, context, output, apiUrl }) => {
      const { askForBox, joinTunnel } = await import('../ssh/tunnel.ts');
      const note = (text: string): void => output.note(json ? JSON.stringify({ note: text }) : plain(text));
      const { box } = await askForBox(client, { home: context.settings.home, api: apiUrl, agent }, { renew: false });
      await joinTunnel(box, context.stdin, context.stdout, note);
      return undefined;
    },
  }),
];
