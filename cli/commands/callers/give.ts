import { Command, Option } from 'clipanion';
import { ApiCommand } from '../../command-base.ts';
import { plain } from '../../output.ts';

export class CallersGiveCommand extends ApiCommand {
  static override paths = [['callers', 'give']];
  static override usage = Command.Usage({
    description: 'give an account scopes that skills of your agent require',
    details:
      'The scopes replace those that you gave the account before. You have all scopes of your own agents, members of your organization by their role, and a token those of the skills that it may call.',
    examples: [['Somebody who has called the agent', 'svc callers give reporter ben@example.com reports:write']],
  });

  agent = Option.String({ name: 'AGENT' });
  account = Option.String({ name: 'ACCOUNT' });
  scopes = Option.Rest({ name: 'SCOPE', required: 1 });
  json = Option.Boolean('--json', false, { description: 'print JSON' });

  async execute(): Promise<number> {
    const given = await this.client().callerScopes.give({ params: { name: this.agent }, body: { account: this.account, scopes: this.scopes } });
    const output = this.output(this.json);
    output.result(given, [`${plain(given.account)} has ${plain(given.scopes.join(', '))} of ${this.agent}.`]);
    output.hint(`Withdraw with: svc callers withdraw ${this.agent} ${given.account_id}`);
    return 0;
  }
}
