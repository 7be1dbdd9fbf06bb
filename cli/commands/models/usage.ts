import { Command, Option } from 'clipanion';
import type { LlmUsageGroup } from '#contract/money/llm-usage.ts';
import { ApiCommand } from '../../command-base.ts';
import { table } from '../../output.ts';
import { dollars } from '../../dollars.ts';

type Sums = Omit<LlmUsageGroup, 'key'>;

export class ModelsUsageCommand extends ApiCommand {
  static override paths = [['models', 'usage']];
  static override usage = Command.Usage({
    description: 'show the uses of your language models this month, and their cost',
    details: 'The whole, then by model, by credential and by day (UTC). Of calls to models without a known price the tokens are counted and no cost.',
    examples: [['This month', 'svc models usage']],
  });

  json = Option.Boolean('--json', false, { description: 'print JSON' });

  async execute(): Promise<number> {
    const client = this.client();
    const by = (group_by: 'model' | 'credential' | 'agent' | 'day') => client.llmUsage.list({ query: { group_by, limit: 1 } });
    const [models, credentials, agents, days] = await Promise.all([by('model'), by('credential'), by('agent'), by('day')]);
    const { from, to, totals } = models;
    const output = this.output(this.json);
    if (totals.calls === 0) output.hint('No language model was used this month. Which there are: svc models list');
    output.result({ from, to, totals, by_model: models.groups, by_credential: credentials.groups, by_agent: agents.groups, by_day: days.groups }, () => {
      if (totals.calls === 0) return [];
      return table(
        ['', 'CALLS', 'TOKENS IN', 'FROM CACHE', 'TOKENS OUT', 'COST'],
        [
          row(`${from} to ${to}`, totals),
          ...part('BY MODEL', models.groups),
          ...part('BY CREDENTIAL', credentials.groups),
          ...part('BY AGENT', agents.groups),
          ...part('BY DAY', days.groups),
        ],
      );
    });
    if (totals.unpriced_calls > 0) {
      output.hint('Calls without a price are not in the cost. Set the price of a model with: svc models set NAME --price-in DOLLARS --price-out DOLLARS');
    }
    if (totals.estimated_calls > 0) output.note(`Of ${totals.estimated_calls} calls the provider counted no tokens: they are estimated.`);
    return 0;
  }
}

function part(title: string, groups: readonly LlmUsageGroup[]): string[][] {
  return [[], [title], ...groups.map((group) => row(group.key ?? 'none', group))];
}

function row(name: string, sums: Sums): string[] {
  return [name, ...[sums.calls, sums.input_tokens, sums.cached_input_tokens, sums.output_tokens].map(String), cost(sums)];
}

function cost({ calls, cost_micros: micros, unpriced_calls: unpriced }: Sums): string {
  if (unpriced === 0) return dollars(micros);
  return unpriced === calls ? 'no price' : `${dollars(micros)} and ${unpriced} without a price`;
}
