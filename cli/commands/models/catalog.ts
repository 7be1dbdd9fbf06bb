import { Command, Option } from 'clipanion';
import type { LlmCatalogOut } from '#contract/money/llm-creds.ts';
import { ApiCommand } from '../../command-base.ts';
import { table } from '../../output.ts';
import { dollars } from '../../dollars.ts';

type Model = LlmCatalogOut['items'][number]['models'][number];
type Price = Omit<NonNullable<Model['price']>, 'long_input'>;

export class ModelsCatalogCommand extends ApiCommand {
  static override paths = [['models', 'catalog']];
  static override usage = Command.Usage({
    description: 'list the providers of language models, their models and prices',
    details:
      'Prices are in dollars for a million tokens, as the provider named them on that day. A model that is not listed can be used too; give its price: svc models set NAME --price-in DOLLARS --price-out DOLLARS',
    examples: [['All of them', 'svc models catalog']],
  });

  json = Option.Boolean('--json', false, { description: 'print JSON' });

  async execute(): Promise<number> {
    const listed = await this.client().llmCreds.catalog();
    const output = this.output(this.json);
    output.result(listed, () => {
      const providers = listed.items.map((one) => [
        one.provider,
        one.needs_key ? 'yes' : '',
        one.default_model ?? '(--model)',
        one.base_url ?? '(--base-url)',
        one.title,
      ]);
      const models = listed.items.flatMap(({ provider, models: some }) => some.flatMap((one) => modelRows(provider, one)));
      return [
        ...table(['PROVIDER', 'NEEDS A KEY', 'DEFAULT MODEL', 'ADDRESS', 'WHAT'], providers),
        '',
        ...table(['MODEL', 'PROVIDER', 'INPUT', 'CACHED', 'OUTPUT', 'AS OF'], models),
      ];
    });
    if (!this.json) output.hint('Prices are dollars for a million tokens. Set one of them with: svc models set NAME --provider PROVIDER --model MODEL');
    return 0;
  }
}

/** Long input has a price of its own. */
function modelRows(provider: string, { model, price, as_of: day }: Model): string[][] {
  const row = (name: string, one: Price | null): string[] => [
    name,
    provider,
    one === null ? 'unknown' : dollars(one.input_micros_per_mtok),
    one === null ? '' : dollars(one.cached_input_micros_per_mtok ?? one.input_micros_per_mtok),
    one === null ? '' : dollars(one.output_micros_per_mtok),
    day,
  ];
  const long = price?.long_input;
  return [row(model, price), ...(long ? [row(`  above ${long.above_tokens} tokens`, long)] : [])];
}
