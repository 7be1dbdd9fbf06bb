import { Command, Option } from 'clipanion';
import { ApiCommand } from '../../command-base.ts';
import { plain, table } from '../../output.ts';
import { agentName } from '../../project/name.ts';

export class TokensListCommand extends ApiCommand {
  static override paths = [['tokens', 'list']];
  static override usage = Command.Usage({
    description: 'list the open tokens of your agent, with their last use',
    examples: [['The project in this folder', 'svc tokens list']],
  });

  agent = Option.String({ required: false, name: 'AGENT' });
  project = Option.String('--project,-p', '.', { description: 'folder of the project, when no agent is named' });
  json = Option.Boolean('--json', false, { description: 'print JSON' });

  async execute(): Promise<number> {
    const name = await agentName(this.agent, this.project);
    const tokens = await this.client().agents.apiTokens({ params: { name } });
    const output = this.output(this.json);
    if (tokens.length === 0) output.hint(`${name} has no open tokens. Make one with: svc tokens create ${name} --label PROGRAM`);
    output.result(tokens, () => {
      if (tokens.length === 0) return [];
      const rows = tokens.map(({ token_id, label, scopes, expires_at, last_used_at }) => [
        String(token_id),
        plain(label),
        scopes === null ? 'all' : plain(scopes.join(', ')),
        minute(expires_at),
        last_used_at === null ? 'never' : minute(last_used_at),
      ]);
      return table(['ID', 'LABEL', 'SKILLS', 'EXPIRES (UTC)', 'LAST USED (UTC)'], rows);
    });
    return 0;
  }
}

function minute(instant: string): string {
  return instant.slice(0, 16).replace('T', ' ');
}
