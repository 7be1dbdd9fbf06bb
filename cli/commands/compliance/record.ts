import { writeFile } from 'node:fs/promises';
import { Command, Option } from 'clipanion';
import type { DecisionKind } from '#contract/states.ts';
import { ApiCommand } from '../../lib/api-command.ts';
import { CliError } from '../../lib/errors.ts';
import { EXIT } from '../../lib/exit-codes.ts';
import { plain } from '../../lib/output.ts';

export class ComplianceRecordCommand extends ApiCommand {
  static override paths = [['compliance', 'record']];
  static override usage = Command.Usage({
    description: 'show one decision and check its signature',
    details: 'Ends with 1 when the signature does not hold.',
    examples: [
      ['One call', 'svc compliance record acme rcp_…'],
      ['Its receipt, to be checked', 'svc compliance record acme rcp_… --receipt receipt.txt'],
    ],
  });

  slug = Option.String({ name: 'SLUG' });
  record = Option.String({ name: 'RECORD' });
  receipt = Option.String('--receipt', { description: 'write the signed receipt to this file' });
  json = Option.Boolean('--json', false, { description: 'print JSON' });

  async execute(): Promise<number> {
    const decision = await this.client().compliance.record({ params: { slug: this.slug, kind: kindOf(this.record), record_id: this.record } });
    const output = this.output(this.json);
    if (this.receipt !== undefined) {
      if (decision.token === null) throw new CliError(`${decision.record_id} has no receipt: only calls of agents are signed.`);
      await writeFile(this.receipt, `${decision.token}\n`);
    }
    output.result(decision, () => [
      `${decision.kind} ${decision.record_id}: ${plain(decision.action)} ${decision.outcome}`,
      `Agent:      ${decision.agent ?? '-'}`,
      `By:         ${decision.actor.kind} ${plain(decision.actor.id ?? '')}`,
      `Recorded:   ${decision.recorded_at}, ended ${decision.occurred_at}`,
      `Signature:  ${decision.signature_problem === null ? decision.signature_status.replace('_', ' ') : output.bad(plain(decision.signature_problem))}`,
      ...Object.entries(decision.details).map(([name, value]) => `${name}: ${plain(typeof value === 'string' ? value : JSON.stringify(value))}`),
    ]);
    return decision.signature_status === 'invalid' ? EXIT.failure : EXIT.ok;
  }
}

function kindOf(record: string): DecisionKind {
  if (record.startsWith('rcp_')) return 'skill_execution';
  return record.startsWith('aud_') ? 'admin_action' : 'authorization';
}
