import { Command, Option } from 'clipanion';
import { ApiCommand } from '../command.ts';
import { readProject } from '../project/read.ts';

export class McpUrlCommand extends ApiCommand {
  static override paths = [['mcp-url']];
  static override usage = Command.Usage({
    description: 'print the MCP connect config of a deployed agent',
    details: 'The JSON goes into the settings of an MCP client. Agents that are not public want a bearer token; the header names the variable it is in.',
    examples: [
      ['Of the agent of this project', 'svc mcp-url'],
      ['Of another one', 'svc mcp-url text-kit'],
    ],
  });

  name = Option.String({ required: false, name: 'NAME' });
  project = Option.String('--project,-p', '.', { description: 'folder of the project, when no agent is named' });

  async execute(): Promise<number> {
    const name = this.name ?? (await readProject(this.project)).manifest.name;
    const agent = await this.client().agents.get({ params: { name } });
    const open = agent.visibility === 'public';
    const server = { type: 'http', url: `${agent.url}/mcp`, ...(!open && { headers: { Authorization: 'Bearer ${SVC_TOKEN}' } }) };
    this.context.stdout.write(`${JSON.stringify({ mcpServers: { [name]: server } }, null, 2)}\n`);
    if (agent.state !== 'live') this.output().hint(`${name} is ${agent.state}: the address answers once it is deployed.`);
    return 0;
  }
}
