import { Command, Option } from 'clipanion';
import { ApiCommand } from '../../command-base.ts';
import { UsageError } from '../../errors.ts';

export class LinksRevokeCommand extends ApiCommand {
  static override paths = [['links', 'revoke']];
  static override usage = Command.Usage({
    description: 'revoke an integration link of your agent at once',
    examples: [['By the ID that svc links list shows', 'svc links revoke reporter 17']],
  });

  agent = Option.String({ name: 'AGENT' });
  id = Option.String({ name: 'ID' });
  json = Option.Boolean('--json', false, { description: 'print JSON' });

  async execute(): Promise<number> {
    const link_id = Number(this.id);
    if (!Number.isInteger(link_id)) throw new UsageError(`ID is the number that svc links list ${this.agent} shows, not ${this.id}.`);
    await this.client().agents.revokeIntegrationLink({ params: { name: this.agent, link_id } });
    const output = this.output(this.json);
    output.hint(`Link ${link_id} of ${this.agent} is revoked.`);
    output.result({ link_id, revoked: true }, []);
    return 0;
  }
}
