import { Command, Option } from 'clipanion';
import { ApiCommand } from '../../command-base.ts';
import { UsageError } from '../../errors.ts';

export class TokensRevokeCommand extends ApiCommand {
  static override paths = [['tokens', 'revoke']];
  static override usage = Command.Usage({
    description: 'revoke a token of your agent at once',
    examples: [['By the ID that svc tokens list shows', 'svc tokens revoke reporter 17']],
  });

  agent = Option.String({ name: 'AGENT' });
  id = Option.String({ name: 'ID' });
  json = Option.Boolean('--json', false, { description: 'print JSON' });

  async execute(): Promise<number> {
    const token_id = Number(this.id);
    if (!Number.isInteger(token_id)) throw new UsageError(`ID is the number that svc tokens list ${this.agent} shows, not ${this.id}.`);
    await this.client().agents.revokeApiToken({ params: { name: this.agent, token_id } });
    const output = this.output(this.json);
    output.hint(`Token ${token_id} of ${this.agent} is revoked.`);
    output.result({ token_id, revoked: true }, []);
    return 0;
  }
}
