import { Command, Option } from 'clipanion';
import type { EvaluationCheck, EvaluationRuleOut } from '#contract/quality/evaluations.ts';
import { ApiCommand } from '../../command-base.ts';
import { plain, table } from '../../output.ts';
import { agentName } from '../../project/name.ts';
import { dollars } from '../../dollars.ts';

export class RulesListCommand extends ApiCommand {
  static override paths = [['rules', 'list']];
  static override usage = Command.Usage({
    description: 'list the rules that score the runs of your agent',
    examples: [['The project in this folder', 'svc rules list']],
  });

  agent = Option.String({ required: false, name: 'AGENT' });
  project = Option.String('--project,-p', '.', { description: 'folder of the project, when no agent is named' });
  json = Option.Boolean('--json', false, { description: 'print JSON' });

  async execute(): Promise<number> {
    const name = await agentName(this.agent, this.project);
    const { items } = await this.evaluations().rules({ params: { name } });
    const output = this.output(this.json);
    if (items.length === 0) output.hint(`${name} has no rules. Make one with: svc rules set ${name} quick --max-ms 2000`);
    const row = ({ rule, check, skills, sample, enabled }: EvaluationRuleOut): string[] => [
      rule,
      plain(wordsOf(check)).slice(0, 60),
      skills.length === 0 ? 'all' : skills.join(', '),
      `${sample * 100} %`,
      enabled ? 'on' : 'off',
    ];
    output.result(items, () => (items.length === 0 ? [] : table(['RULE', 'PASSES WHEN', 'SKILLS', 'SAMPLE', 'STATE'], items.map(row))));
    return 0;
  }
}

function wordsOf(check: EvaluationCheck): string {
  switch (check.kind) {
    case 'schema':
      return 'the result fits a schema';
    case 'matches':
      return `${check.pointer === '' ? 'the result' : check.pointer} ${check.absent ? 'does not match' : 'matches'} ${check.pattern}`;
    case 'latency':
      return `it takes at most ${check.max_ms} ms`;
    case 'cost':
      return `models cost at most ${dollars(check.max_micros)}`;
    case 'thumb':
      return 'its caller gives a thumb up';
    case 'judge':
      return `a model finds: ${check.instructions}`;
  }
}
