import { writeFile } from 'node:fs/promises';
import { Command, Option } from 'clipanion';
import type { DecisionRecordOut } from '#contract/orgs/compliance.ts';
import { DECISION_KINDS, DECISION_OUTCOMES, type DecisionKind } from '#contract/states.ts';
import { ApiCommand, integer, oneOf } from '../../command-base.ts';
import { CliError } from '../../errors.ts';
import { EXIT } from '../../exit-codes.ts';
import { plain, table } from '../../output.ts';

const PAGE = 200;

export class ComplianceRecordsCommand extends ApiCommand {
  static override paths = [['compliance', 'records']];
  static override usage = Command.Usage({
    description: 'list what was decided in an organization: calls of its agents, authorizations, changes',
    examples: [
      ['The last fifty', 'svc compliance records acme'],
      [
        'What rules and people refused in July',
        'svc compliance records acme --kind authorization --outcome deny --from 2026-07-01T00:00:00Z --to 2026-08-01T00:00:00Z',
      ],
    ],
  });

  slug = Option.String({ name: 'SLUG' });
  kind = Option.String('--kind', { description: DECISION_KINDS.join(', ') });
  outcome = Option.String('--outcome', { description: DECISION_OUTCOMES.join(', ') });
  agent = Option.String('--agent', { description: 'only of this agent' });
  from = Option.String('--from', { description: 'recorded at this time or later' });
  to = Option.String('--to', { description: 'recorded before this time' });
  limit = Option.String('--limit,-n', '50', { description: 'how many' });
  json = Option.Boolean('--json', false, { description: 'print JSON' });

  async execute(): Promise<number> {
    const limit = integer('--limit', this.limit, { min: 1, max: 100_000 });
    const filter = {
      ...(this.kind !== undefined && { kind: oneOf('--kind', this.kind, DECISION_KINDS) }),
      ...(this.outcome !== undefined && { outcome: oneOf('--outcome', this.outcome, DECISION_OUTCOMES) }),
      ...(this.agent !== undefined && { agent: this.agent }),
      ...(this.from !== undefined && { from: this.from }),
      ...(this.to !== undefined && { to: this.to }),
    };
    const items: DecisionRecordOut[] = [];
    let cursor: string | null | undefined;
    do {
      const query = { ...filter, limit: Math.min(PAGE, limit - items.length), ...(cursor ? { cursor } : {}) };
      const page = await this.client().compliance.records({ params: { slug: this.slug }, query });
      items.push(...page.items);
      cursor = page.next_cursor;
    } while (cursor && items.length < limit);
    const output = this.output(this.json);
    if (items.length === 0) output.note('Nothing was decided.');
    output.result(items, () => (items.length === 0 ? [] : table(['RECORDED (UTC)', 'KIND', 'AGENT', 'ACTION', 'OUTCOME', 'BY', 'RECORD'], items.map(row))));
    return 0;
  }
}

function row({ recorded_at, kind, agent, action, outcome, actor, record_id }: DecisionRecordOut): string[] {
  return [recorded_at.slice(0, 19).replace('T', ' '), kind, agent ?? '-', plain(action), outcome, plain(actor.id ?? actor.kind), record_id];
}

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
    const found = await this.client().compliance.record({ params: { slug: this.slug, kind: kindOf(this.record), record_id: this.record } });
    const output = this.output(this.json);
    if (this.receipt !== undefined) {
      if (found.token === null) throw new CliError(`${found.record_id} has no receipt: only calls of agents are signed.`);
      await writeFile(this.receipt, `${found.token}\n`);
    }
    output.result(found, () => [
      `${found.kind} ${found.record_id}: ${plain(found.action)} ${found.outcome}`,
      `Agent:      ${found.agent ?? '-'}`,
      `By:         ${found.actor.kind} ${plain(found.actor.id ?? '')}`,
      `Recorded:   ${found.recorded_at}, ended ${found.occurred_at}`,
      `Signature:  ${found.signature_problem === null ? found.signature_status.replace('_', ' ') : output.bad(plain(found.signature_problem))}`,
      ...Object.entries(found.details).map(([name, value]) => `${name}: ${plain(typeof value === 'string' ? value : JSON.stringify(value))}`),
    ]);
    return found.signature_status === 'invalid' ? EXIT.failure : EXIT.ok;
  }
}

function kindOf(record: string): DecisionKind {
  if (record.startsWith('rcp_')) return 'skill_execution';
  return record.startsWith('aud_') ? 'admin_action' : 'authorization';
}
