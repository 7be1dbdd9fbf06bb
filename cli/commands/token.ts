import { Command, Option } from 'clipanion';
import { ApiCommand } from '../lib/api-command.ts';

export class TokenCommand extends ApiCommand {
  static override paths = [['token']];
  static override usage = Command.Usage({
    description: 'print an access token that works now, for curl, MCP clients and scripts',
    details:
      'The token has all your rights and lasts an hour; the command renews it first if it expires soon. Anyone who has it can act as you: keep it out of files and logs. svc logout ends its sign-in, and the token within seconds.',
    examples: [
      ['A call by curl', 'curl -H "Authorization: Bearer $(svc token)" http://localhost:8080/v1/me'],
      ['For programs that read the variable', 'export SVC_TOKEN=$(svc token)'],
    ],
  });

  json = Option.Boolean('--json', false, { description: 'print JSON, with the time it ends' });

  async execute(): Promise<number> {
    const token = await this.session().token();
    const until = (await this.store.get(this.apiUrl))?.expires_at;
    const known = this.context.settings.token === undefined && until !== undefined;
    this.output(this.json).result({ access_token: token, token_type: 'Bearer', expires_at: known ? new Date(until).toISOString() : null }, [token]);
    return 0;
  }
}
