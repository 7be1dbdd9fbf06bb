// Language models of an account, with their keys, prices and use.
import { ApiError } from '#contract/client.ts';
import type { LlmCatalogOut } from '#contract/money/llm-creds.ts';
import type { LlmUsageGroup } from '#contract/money/llm-usage.ts';
import { checkCell, failureOf, keyCell } from '../commands/models/check.ts';
import { ModelsSetCommand } from '../commands/models/set.ts';
import { dollars } from '../lib/dollars.ts';
import { command, customCommand } from '../lib/command.ts';
import { CliError } from '../lib/errors.ts';
import { table } from '../lib/output.ts';

type Model = LlmCatalogOut['items'][number]['models'][number];
type Price = Omit<NonNullable<Model['price']>, 'long_input'>;
type Sums = Omit<LlmUsageGroup, 'key'>;

export const commands = [
  command('models list', {
    about: 'list your language models, with what each has cost this month and whether it works',
    details: 'svc chat plans with them. At most the last four characters of a key are shown.',
    examples: [['Models that do not work', 'svc models list --json | jq \'.items[] | select(.check.state == "failed") | .name\'']],
    route: 'llmCreds.list',
    columns: {
      NAME: ({ name }) => name,
      PROVIDER: ({ provider }) => provider,
      MODEL: ({ model }) => model,
      DEFAULT: (one) => (one.default ? 'yes' : ''),
      KEY: keyCell,
      'SPENT THIS MONTH': ({ priced, spent_micros }) => (priced || spent_micros > 0 ? dollars(spent_micros) : 'no price'),
      BUDGET: ({ monthly_budget_micros }) => (monthly_budget_micros === null ? 'none' : dollars(monthly_budget_micros)),
      'CHECK (UTC)': checkCell,
    },
    empty: () => 'No language models. Set one with: svc models set main --provider openai (all providers: svc models catalog)',
    hint: ({ items }) => {
      const failed = items.filter(({ check }) => check.state === 'failed');
      return failed.length === 0 ? undefined : failed.map((one) => `${one.name}: ${failureOf(one)}`).join('\n');
    },
  }),
  ModelsSetCommand,
  customCommand('models delete', {
    about: 'delete a language model of yours and its key',
    details: 'Its past use stays in svc models usage. If it was the default, another model becomes the default.',
    examples: [['By name', 'svc models delete main']],
    arguments: { name: 'NAME' },
    run: async ({ name }, { client: { llmCreds }, output }) => {
      await llmCreds.remove({ params: { name } }).catch((error: unknown) => {
        if (!(error instanceof ApiError && error.code === 'credential_not_found')) throw error;
        throw new CliError(`${error.message}. List them with: svc models list`);
      });
      const next = (await llmCreds.list()).items.find((one) => one.default);
      output.hint(`${name} is deleted; ${next ? `the default is ${next.name}` : 'no language model is left. Set one with: svc models set NAME --provider P'}`);
      return { name, deleted: true, default: next?.name ?? null };
    },
  }),
  command('models catalog', {
    about: 'list the providers of language models, their models and prices',
    details:
      'Prices are in dollars for a million tokens, as the provider named them on that day. A model that is not listed can be used too; give its price: svc models set NAME --price-in DOLLARS --price-out DOLLARS',
    examples: [['All of them', 'svc models catalog']],
    route: 'llmCreds.catalog',
    lines: ({ items }) => {
      const providers = items.map((one) => [
        one.provider,
        one.needs_key ? 'yes' : '',
        one.default_model ?? '(--model)',
        one.base_url ?? '(--base-url)',
        one.title,
      ]);
      const models = items.flatMap(({ provider, models: some }) => some.flatMap((one) => modelRows(provider, one)));
      return [
        ...table(['PROVIDER', 'NEEDS A KEY', 'DEFAULT MODEL', 'ADDRESS', 'WHAT'], providers),
        '',
        ...table(['MODEL', 'PROVIDER', 'INPUT', 'CACHED', 'OUTPUT', 'AS OF'], models),
      ];
    },
    hint: (_, { json }) =>
      json ? undefined : 'Prices are dollars for a million tokens. Set one of them with: svc models set NAME --provider PROVIDER --model MODEL',
  }),
  command('models usage', {
    about: 'show the uses of your language models this month, and their cost',
    details: 'The whole, then by model, by credential and by day (UTC). Of calls to models without a known price the tokens are counted and no cost.',
    examples: [['This month', 'svc models usage']],
    lookup: async (_, { client }) => {
      const by = (group_by: 'credential' | 'agent' | 'day') => client.llmUsage.list({ query: { group_by, limit: 1 } });
      const [credentials, agents, days] = await Promise.all([by('credential'), by('agent'), by('day')]);
      return { credentials: credentials.groups, agents: agents.groups, days: days.groups };
    },
    route: 'llmUsage.list',
    send: () => ({ query: { group_by: 'model' as const, limit: 1 } }),
    json: ({ from, to, totals, groups }, { credentials, agents, days }) => ({
      from,
      to,
      totals,
      by_model: groups,
      by_credential: credentials,
      by_agent: agents,
      by_day: days,
    }),
    lines: ({ from, to, totals, groups }, { credentials, agents, days }) =>
      totals.calls === 0
        ? []
        : table(
            ['', 'CALLS', 'TOKENS IN', 'FROM CACHE', 'TOKENS OUT', 'COST'],
            [
              usageRow(`${from} to ${to}`, totals),
              ...part('BY MODEL', groups),
              ...part('BY CREDENTIAL', credentials),
              ...part('BY AGENT', agents),
              ...part('BY DAY', days),
            ],
          ),
    hint: ({ totals }) =>
      [
        ...(totals.calls === 0 ? ['No language model was used this month. Which there are: svc models list'] : []),
        ...(totals.unpriced_calls > 0
          ? ['Calls without a price are not in the cost. Set the price of a model with: svc models set NAME --price-in DOLLARS --price-out DOLLARS']
          : []),
        ...(totals.estimated_calls > 0 ? [`Of ${totals.estimated_calls} calls the provider counted no tokens: they are estimated.`] : []),
      ].join('\n') || undefined,
  }),
];

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

function part(title: string, groups: readonly LlmUsageGroup[]): string[][] {
  return [[], [title], ...groups.map((group) => usageRow(group.key ?? 'none', group))];
}

function usageRow(name: string, sums: Sums): string[] {
  return [name, ...[sums.calls, sums.input_tokens, sums.cached_input_tokens, sums.output_tokens].map(String), cost(sums)];
}

function cost({ calls, cost_micros: micros, unpriced_calls: unpriced }: Sums): string {
  if (unpriced === 0) return dollars(micros);
  return unpriced === calls ? 'no price' : `${dollars(micros)} and ${unpriced} without a price`;
}
