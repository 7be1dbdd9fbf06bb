import { Command, Option } from 'clipanion';
import { ApiCommand } from '../../command-base.ts';
import { UsageError } from '../../errors.ts';

export class CallersWithdrawCommand extends ApiCommand {
  static override paths = [['callers', 'withdraw']];
  static override usage = Command.Usage({
    description: 'withdraw the scopes of your agent that you gave an account',
    examples: [['By the account that svc callers list shows', 'svc callers withdraw reporter ben@example.com']],
  });

  agent = Option.String({ name: 'AGENT' });
  account = Option.String({ name: 'ACCOUNT' });
  json = Option.Boolean('--json', false, { description: 'print JSON' });

  async execute(): Promise<number> {
    const { items } = await this.client().callerScopes.list({ params: { name: this.agent } });
    const matching = items.filter(({ account, account_id }) => account === this.account || account_id === this.account);
    const [found] = matching;
    if (!found) throw new UsageError(`${this.agent} has given ${this.account} no scopes. See: svc callers list ${this.agent}`);
    if (matching.length > 1) throw new UsageError(`Several accounts have the address ${this.account}: give the ID that svc callers list ${this.agent} shows.`);
    await this.client().callerScopes.withdraw({ params: { name: this.agent, account_id: found.account_id } });
    const output = this.output(this.json);
    output.hint(`${this.account} has no scopes of ${this.agent} any longer.`);
    output.result({ account_id: found.account_id, withdrawn: true }, []);
    return 0;
  }
}
