import { Command, Option } from 'clipanion';
import { ApiCommand } from '../command-base.ts';
import { plain, table } from '../output.ts';

export class AgentsCommand extends ApiCommand {
  static override paths = [['agents']];
  static override usage = Command.Usage({
    description: 'list the agents you can see: your own and the public ones',
    examples: [['Their addresses', "svc agents --json | jq -r '.[].url'"]],
  });

  json = Option.Boolean('--json', false, { description: 'print JSON' });

  async execute(): Promise<number> {
    const agents = await this.client().agents.list();
    const { Stubs } = await import('../use/stubs.ts');
    // Only for completion: a home that cannot be written is no failure of the list.
    await new Stubs(this.context.settings.home).keepSeen(agents.map(({ name }) => name)).catch(() => undefined);
    const output = this.output(this.json);
    if (agents.length === 0) output.hint('No agents yet. Make one with: svc init NAME --language typescript');
    output.result(agents, () => {
      if (agents.length === 0) return [];
      const rows = agents.map((agent) => [
        agent.name,
        agent.version ?? '-',
        agent.out_of_service ? 'unhealthy' : agent.state,
        agent.visibility,
        agent.mine ? 'yes' : '',
        agent.url,
        plain(agent.out_of_service ? `out of service: ${agent.out_of_service.reason}` : agent.description).slice(0, 60),
      ]);
      return table(['NAME', 'VERSION', 'STATE', 'LISTING', 'MINE', 'URL', 'DESCRIPTION'], rows);
    });
    return 0;
  }
}
