import { Command, Option } from 'clipanion';
import { ApiCommand, integer } from '../../command-base.ts';
import { UsageError } from '../../errors.ts';
import { table } from '../../output.ts';
import { change, policyRows } from './value.ts';

export class PolicySetCommand extends ApiCommand {
  static override paths = [['policy', 'set']];
  static override usage = Command.Usage({
    description: 'change what your account lets runs do',
    details:
      'Options that you leave out keep their values. The first change puts the whole policy in force, with its defaults. Budgets are in cents; "none" removes a daily budget. The command lists the changes that make the policy weaker.',
    examples: [
      ['At most five dollars on a day, and four calls of agents in a run', 'svc policy set daily_budget_cents=500 max_agent_calls_per_run=4'],
      ['Only two agents, and no network', 'svc policy set only_approved_agents=true approved_agents=text-kit,librarian deny_external_network=true'],
    ],
  });

  changes = Option.Rest({ name: 'MEMBER=VALUE', required: 1 });
  version = Option.String('--version', { description: 'refuse when the policy has another version by now' });
  json = Option.Boolean('--json', false, { description: 'print JSON' });

  async execute(): Promise<number> {
    const body = Object.assign({}, ...this.changes.map(change));
    if (Object.keys(body).length < this.changes.length) throw new UsageError('Name each member once.');
    const version = this.version === undefined ? {} : { version: integer('--version', this.version, { min: 0, max: 2_147_483_647 }) };
    const policy = await this.client().controlRoom.setPolicy({ body: { ...body, ...version } });
    const output = this.output(this.json);
    output.result(policy, () => table(['MEMBER', 'VALUE'], policyRows(policy)));
    if (policy.loosened.length > 0) output.hint(`Weaker than before: ${policy.loosened.join(', ')}.`);
    if (policy.machines_pending > 0) output.hint(`${policy.machines_pending} machines get the change within seconds.`);
    return 0;
  }
}
