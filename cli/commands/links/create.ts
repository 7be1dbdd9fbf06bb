import { Command, Option } from 'clipanion';
import { ApiCommand, integer } from '../../command-base.ts';

const MAX_DAYS = 365;

export class LinksCreateCommand extends ApiCommand {
  static override paths = [['links', 'create']];
  static override usage = Command.Usage({
    description: 'make an integration link: addresses and a token for a program that calls your agent',
    details:
      'The token is shown once. It calls this agent and nothing else. With --url it is part of the addresses, for programs that cannot send headers: other programs keep addresses in histories and logs.',
    examples: [
      ['For a program that sends headers', 'svc links create reporter --label "workflow builder"'],
      ['For one that takes an address alone, one skill, a week', 'svc links create reporter --url --skill weekly --days 7'],
    ],
  });

  agent = Option.String({ name: 'AGENT' });
  label = Option.String('--label', { description: 'which program gets it' });
  url = Option.Boolean('--url', false, { description: 'put the token into the addresses' });
  skills = Option.Array('--skill', [], { description: 'a skill that it may call, repeatable; none: all' });
  days = Option.String('--days', { description: 'how long it holds, 1 to 365; default 90, with --url 30' });
  json = Option.Boolean('--json', false, { description: 'print JSON' });

  async execute(): Promise<number> {
    const days = this.days === undefined ? undefined : integer('--days', this.days, { min: 1, max: MAX_DAYS });
    const made = await this.client().agents.createIntegrationLink({
      params: { name: this.agent },
      body: {
        token_placement: this.url ? 'url_query' : 'header',
        ...(this.label === undefined ? {} : { label: this.label }),
        ...(this.skills.length === 0 ? {} : { scopes: this.skills }),
        ...(days === undefined ? {} : { expires_in_days: days }),
      },
    });
    const output = this.output(this.json);
    output.result(made, () => [
      `Token    ${made.token}`,
      `OpenAPI  ${made.openapi_url}`,
      `Invoke   ${made.invoke_base_url}`,
      `MCP      ${made.mcp_url}`,
      `Try      ${made.curl_example}`,
    ]);
    output.note(`\n${made.security_notice}`);
    output.hint(`Revoke it with: svc links revoke ${this.agent} ${made.link_id}`);
    return 0;
  }
}
