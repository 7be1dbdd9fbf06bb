import { Command, Option } from 'clipanion';
import { ApiCommand } from '../../command-base.ts';
import { table } from '../../output.ts';
import { checkCell, failureOf, keyCell } from './check.ts';
import { dollars } from '../../dollars.ts';

export class ModelsListCommand extends ApiCommand {
  static override paths = [['models', 'list']];
  static override usage = Command.Usage({
    description: 'list your language models, with what each has cost this month and whether it works',
    details: 'svc chat plans with them. At most the last four characters of a key are shown.',
    examples: [['Models that do not work', 'svc models list --json | jq \'.items[] | select(.check.state == "failed") | .name\'']],
  });

  json = Option.Boolean('--json', false, { description: 'print JSON' });

  async execute(): Promise<number> {
    const listed = await this.client().llmCreds.list();
    const output = this.output(this.json);
    if (listed.items.length === 0) output.hint('No language models. Set one with: svc models set main --provider openai (all providers: svc models catalog)');
    output.result(listed, () => {
      if (listed.items.length === 0) return [];
      const rows = listed.items.map((one) => [
        one.name,
        one.provider,
        one.model,
        one.default ? 'yes' : '',
        keyCell(one),
        one.priced || one.spent_micros > 0 ? dollars(one.spent_micros) : 'no price',
        one.monthly_budget_micros === null ? 'none' : dollars(one.monthly_budget_micros),
        checkCell(one),
      ]);
      return table(['NAME', 'PROVIDER', 'MODEL', 'DEFAULT', 'KEY', 'SPENT THIS MONTH', 'BUDGET', 'CHECK (UTC)'], rows);
    });
    for (const one of listed.items) if (one.check.state === 'failed') output.hint(`${one.name}: ${failureOf(one)}`);
    return 0;
  }
}
