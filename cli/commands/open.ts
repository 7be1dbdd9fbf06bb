import { Command, Option } from 'clipanion';
import { ApiCommand } from '../command-base.ts';
import { openBrowser } from '../login/browser.ts';
import { agentName } from '../project/name.ts';

export class OpenCommand extends ApiCommand {
  static override paths = [['open']];
  static override usage = Command.Usage({
    description: "open an agent's page in the browser, and print its address",
    details: 'At an agent that is not public the page signs you in first.',
    examples: [
      ['The project in this folder', 'svc open'],
      ['Print only the address', 'svc open text-kit --print'],
    ],
  });

  agent = Option.String({ required: false, name: 'AGENT' });
  project = Option.String('--project,-p', '.', { description: 'folder of the project, when no agent is named' });
  print = Option.Boolean('--print', false, { description: 'print the address and open nothing' });
  json = Option.Boolean('--json', false, { description: 'print JSON' });

  async execute(): Promise<number> {
    const name = await agentName(this.agent, this.project);
    const { url, state } = await this.client().agents.get({ params: { name } });
    const output = this.output(this.json);
    output.result({ name, url, state, opened: !this.print }, [url]);
    if (state !== 'live') output.hint(`${name} is ${state}: its page is there once it is live. See: svc status ${name}`);
    if (!this.print) await openBrowser(new URL(url));
    return 0;
  }
}
