import { Command, Option } from 'clipanion';
import { ApiCommand } from '../../command-base.ts';
import { UsageError } from '../../errors.ts';

export class TokensCreateCommand extends ApiCommand {
  static override paths = [['tokens', 'create']];
  static override usage = Command.Usage({
    description: 'make a token for a program that calls your agent',
    details:
      'The token is printed once, as the only line on standard output. It can call only this agent: send it as Authorization: Bearer TOKEN. Revoke it with svc tokens revoke.',
    examples: [
      ['For one program', 'svc tokens create reporter --label "nightly job"'],
      ['For one skill, for a week, into a file', 'svc tokens create reporter --label ci --skill weekly --days 7 > reporter.token'],
    ],
  });

  agent = Option.String({ name: 'AGENT' });
  label = Option.String('--label', { required: true, description: 'which program gets it' });
  skills = Option.Array('--skill', [], { description: 'a skill that it may call, repeatable; none: all' });
  days = Option.String('--days', { description: 'how long it holds, 1 to 365; default 90' });
  json = Option.Boolean('--json', false, { description: 'print JSON' });

  async execute(): Promise<number> {
    const days = this.days === undefined ? undefined : Number(this.days);
    if (days !== undefined && !Number.isInteger(days)) throw new UsageError(`--days takes a whole number of days, not ${this.days}.`);
    const made = await this.client().agents.createApiToken({
      params: { name: this.agent },
      body: {
        label: this.label,
        ...(this.skills.length === 0 ? {} : { scopes: this.skills }),
        ...(days === undefined ? {} : { expires_in_days: days }),
      },
    });
    const output = this.output(this.json);
    output.hint(
      `Token ${made.token_id} holds until ${made.expires_at.slice(0, 10)}. It is shown this once. Revoke it with: svc tokens revoke ${this.agent} ${made.token_id}`,
    );
    output.result(made, [made.token]);
    return 0;
  }
}
