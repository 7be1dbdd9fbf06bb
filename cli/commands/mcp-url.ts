import { Command, Option } from 'clipanion';
import { ApiCommand } from '../command-base.ts';

export class McpUrlCommand extends ApiCommand {
  static override paths = [['mcp-url']];
  static override usage = Command.Usage({
    description: 'print the MCP connect config of a deployed agent',
    details: 'The JSON goes into the settings of an MCP client. At an agent that is not public the client signs you in through the browser.',
    examples: [
      ['The agent of this project', 'svc mcp-url'],
      ['Another agent', 'svc mcp-url text-kit'],
    ],
  });

  name = Option.String({ required: false, name: 'NAME' });
  project = Option.String('--project,-p', '.', { description: 'folder of the project, when no agent is named' });
  json = Option.Boolean('--json', false, { description: 'print JSON, as it always does' });

  async execute(): Promise<number> {
    const { readProject } = await import('../project/read.ts');
    const name = this.name ?? (await readProject(this.project)).manifest.name;
    const agent = await this.client().agents.get({ params: { name } });
    const server = { type: 'http', url: `${agent.url}/mcp` };
    this.context.stdout.write(`${JSON.stringify({ mcpServers: { [name]: server } }, null, 2)}\n`);
    if (agent.state !== 'live') this.output().hint(`${name} is ${agent.state}: the address answers once it is deployed.`);
    if (agent.visibility !== 'public') this.output().hint('A client without OAuth sign-in sends a token instead: "headers": {"Authorization": "Bearer ..."}.');
    return 0;
  }
}
