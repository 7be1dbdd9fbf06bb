import { Command, Option } from 'clipanion';
import { ApiCommand, integer } from '../../command-base.ts';
import { UsageError } from '../../errors.ts';

const MAX_DAYS = 365;

export class LinksCreateCommand extends ApiCommand {
  static override paths = [['links', 'create']];
  static override usage = Command.Usage({
    description: 'make an integration link: addresses and a token for a program that calls your agent',
    details:
      'The token is shown once. It calls this agent and nothing else. It is part of the addresses, which programs keep in histories and logs: with --header it is sent in a header only.',
    examples: [
      ['One skill, a week', 'svc links create reporter --label "workflow builder" --skill weekly --days 7'],
      ['For a program that sends headers', 'svc links create reporter --header'],
    ],
  });

  agent = Option.String({ name: 'AGENT' });
  label = Option.String('--label', { description: 'which program gets it' });
  header = Option.Boolean('--header', false, { description: 'keep the token out of the addresses: it counts in a header only' });
  /** What is the default now. */
  url = Option.Boolean('--url', false, { hidden: true });
  skills = Option.Array('--skill', [], { description: 'a skill that it may call, repeatable; none: all' });
  days = Option.String('--days', { description: 'how long it holds, 1 to 365; default 30, with --header 90' });
  json = Option.Boolean('--json', false, { description: 'print JSON' });

  async execute(): Promise<number> {
    if (this.url && this.header) throw new UsageError('Give --header or --url, not both.');
    const days = this.days === undefined ? undefined : integer('--days', this.days, { min: 1, max: MAX_DAYS });
    const made = await this.client().agents.createIntegrationLink({
      params: { name: this.agent },
      body: {
        token_placement: this.header ? 'header' : 'url_query',
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
