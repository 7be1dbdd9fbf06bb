import { Command, Option } from 'clipanion';
import { ApiCommand } from '../../command-base.ts';
import { plain, table } from '../../output.ts';
import { agentName } from '../../project/name.ts';

export class CallersListCommand extends ApiCommand {
  static override paths = [['callers', 'list']];
  static override usage = Command.Usage({
    description: 'list the accounts that you gave scopes of your agent',
    examples: [['The project in this folder', 'svc callers list']],
  });

  agent = Option.String({ required: false, name: 'AGENT' });
  project = Option.String('--project,-p', '.', { description: 'folder of the project, when no agent is named' });
  json = Option.Boolean('--json', false, { description: 'print JSON' });

  async execute(): Promise<number> {
    const name = await agentName(this.agent, this.project);
    const page = await this.beside().callerScopes.list({ params: { name } });
    const output = this.output(this.json);
    const declared = page.declared.length === 0 ? 'No skill requires a scope.' : `Skills require: ${plain(page.declared.join(', '))}.`;
    output.hint(page.items.length === 0 ? `${declared} Give them with: svc callers give ${name} ACCOUNT SCOPE` : declared);
    output.result(page, () => {
      if (page.items.length === 0) return [];
      const rows = page.items.map(({ account, account_id, scopes, updated_at }) => [
        plain(account),
        account_id,
        plain(scopes.join(', ')),
        updated_at.slice(0, 10),
      ]);
      return table(['ACCOUNT', 'ID', 'SCOPES', 'SINCE'], rows);
    });
    return 0;
  }
}
