import { Command, Option } from 'clipanion';
import type { PolicyTestOut } from '#contract/policy/policy-rules.ts';
import { inFile } from '#contract/policy/rule-file.ts';
import { MAX_TRIED } from '#contract/policy/rule-limits.ts';
import { ApiCommand, integer } from '../../lib/api-command.ts';
import { EXIT } from '../../lib/exit-codes.ts';
import { plain, table } from '../../lib/output.ts';
import { bodyOf, refuse, rulesIn, warn } from './rule-source.ts';

export class PolicyTestCommand extends ApiCommand {
  static override paths = [['policy', 'test']];
  static override usage = Command.Usage({
    description: 'show which of the last decisions the rules of a file would change; nothing is saved',
    details: 'Decisions are kept while your account has rules. To collect some before the first rule, push an empty file.',
    examples: [
      ['Over the last thousand', 'svc policy test rules.cedar'],
      ['In a pipeline: fail when anything would change', 'svc policy test rules.cedar --last 5000 --fail-on-change'],
    ],
  });

  file = Option.String({ name: 'FILE' });
  last = Option.String('--last', '1000', { description: `how many of the last decisions, ${MAX_TRIED} at most` });
  failOnChange = Option.Boolean('--fail-on-change', false, { description: 'exit with 1 when a decision would be another' });
  json = Option.Boolean('--json', false, { description: 'print JSON' });

  async execute(): Promise<number> {
    const last = integer('--last', this.last, { min: 1, max: MAX_TRIED });
    const output = this.output(this.json);
    const file = await rulesIn(this.file, output);
    const tried = await this.client().policy.test({ body: { ...bodyOf(file), last } });
    refuse(this.file, tried.problems.map((one) => inFile(file.policies, one)), output); // prettier-ignore
    warn(this.file, file, tried.warnings, output);
    if (tried.tested === 0) output.hint('No decisions are kept yet. They are while your account has rules: svc policy rules push FILE');
    output.result(tried, () => linesOf(tried));
    if (tried.changed > tried.examples.length) output.note(`The newest ${tried.examples.length} of ${tried.changed} are shown.`);
    return this.failOnChange && tried.changed > 0 ? EXIT.failure : EXIT.ok;
  }
}

function linesOf({ tested, changed, changes, examples }: PolicyTestOut): string[] {
  if (tested === 0) return [];
  if (changed === 0) return [`None of the last ${tested} decisions would change.`];
  const counts = changes.map(({ from, to, count }) => `${count} from ${from} to ${to}`).join(', ');
  const rows = examples.map(({ decision, outcome, reasons }) => [
    decision.decided_at.slice(0, 16).replace('T', ' '),
    decision.action,
    plain(decision.agent ?? `${decision.principal.type} ${decision.principal.id}`),
    plain(`${decision.resource.type} ${decision.resource.id}`).slice(0, 60),
    `${decision.outcome} -> ${outcome}`,
    plain(reasons.join(', ')),
  ]);
  return [
    `This would change ${changed} of the last ${tested} decisions: ${counts}.`,
    ...table(['DECIDED (UTC)', 'ACTION', 'WHO', 'WHAT', 'OUTCOME', 'BY'], rows),
  ];
}
