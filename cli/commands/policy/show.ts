import { Command, Option } from 'clipanion';
import { ApiCommand } from '../../command-base.ts';
import { table } from '../../output.ts';
import { policyRows } from './value.ts';

export class PolicyShowCommand extends ApiCommand {
  static override paths = [['policy']];
  static override usage = Command.Usage({
    description: 'show what your account allows: for runs that work for it, and for runs of its agents',
    details: 'Until you set something the defaults are shown, and nothing is refused. What was refused: svc policy denials.',
    examples: [['As a table', 'svc policy']],
  });

  json = Option.Boolean('--json', false, { description: 'print JSON' });

  async execute(): Promise<number> {
    const { policy, changes } = await this.client().controlRoom.get({ query: { receipts: 0, denials: 0 } });
    const output = this.output(this.json);
    output.result(policy, () => [
      policy.set ? `Version ${policy.version}, in force since ${policy.changed_at ?? ''}` : 'No limits are active. These are the defaults:',
      '',
      ...table(['MEMBER', 'VALUE'], policyRows(policy)),
      ...(policy.machines_pending > 0 ? ['', `${policy.machines_pending} machines do not have the newest setting for outside access yet.`] : []),
      ...(changes.length === 0 ? [] : ['', 'The last changes:', ...changes.map(({ at, version, changed }) => `  ${at}  version ${version}: ${changed.map(({ member, loosened }) => (loosened ? `${member} (weaker)` : member)).join(', ')}`)]), // prettier-ignore
    ]);
    if (!this.json) output.hint('Change it with: svc policy set MEMBER=VALUE …');
    return 0;
  }
}
