// Providers, models and prices as they were read from the providers' own pages, with the day. A model that is
// not here has no price.
import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { type LlmCatalogOut, LlmProvider } from '#contract/money/llm-creds.ts';
import type { Price } from './price.ts';
import { MODEL_PROTOCOLS } from '#contract/states.ts';

const dollars = { input: z.number(), cached_input: z.number().optional(), cache_write: z.number().optional(), output: z.number() };
const Preset = z.strictObject({
  provider: LlmProvider,
  title: z.string(),
  protocol: z.enum(MODEL_PROTOCOLS),
  base_url: z.url().nullable(),
  needs_key: z.boolean(),
  default_model: z.string().nullable(),
  models: z.array(
    z.strictObject({
      model: z.string(),
      context_tokens: z.int().nullable(),
      max_output_tokens: z.int().nullable(),
      as_of: z.iso.date(),
      dollars: z.strictObject({ ...dollars, long_input: z.strictObject({ ...dollars, above_tokens: z.int() }).optional() }).nullable(),
    }),
  ),
});

export type ProviderPreset = LlmCatalogOut['items'][number];

let presets: ProviderPreset[] | undefined;

export function catalog(): ProviderPreset[] {
  return (presets ??= z
    .array(Preset)
    .parse(JSON.parse(readFileSync(new URL('./catalog.json', import.meta.url), 'utf8')))
    .map(({ models, ...preset }) => ({ ...preset, models: models.map(({ dollars: price, ...model }) => ({ ...model, price: priceOf(price) })) })));
}

/** @throws when there is none: every provider of the contract has one, a test says. */
export function presetOf(provider: string): ProviderPreset {
  const providerPreset = catalog().find((preset) => preset.provider === provider);
  if (!providerPreset) throw new Error(`the catalog has no provider ${provider}`);
  return providerPreset;
}

/** Undefined for models and providers that the catalog has no price of. */
export function modelOf(provider: string, model: string): ProviderPreset['models'][number] | undefined {
  return catalog()
    .find((preset) => preset.provider === provider)
    ?.models.find((one) => one.model === model);
}

type Dollars = NonNullable<z.infer<typeof Preset>['models'][number]['dollars']>;

function priceOf(price: Dollars | null): Price | null {
  if (price === null) return null;
  const { long_input: long, ...short } = price;
  return { ...inMicros(short), ...(long === undefined ? {} : { long_input: { ...inMicros(long), above_tokens: long.above_tokens } }) };
}

function inMicros({ input, cached_input, cache_write, output }: Omit<Dollars, 'long_input'>) {
  const micros = (amount: number): number => Math.round(amount * 1_000_000);
  return {
    input_micros_per_mtok: micros(input),
    ...(cached_input === undefined ? {} : { cached_input_micros_per_mtok: micros(cached_input) }),
    ...(cache_write === undefined ? {} : { cache_write_micros_per_mtok: micros(cache_write) }),
    output_micros_per_mtok: micros(output),
  };
}
