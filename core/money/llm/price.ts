// Tokens into micro-dollars, in whole numbers: floats would lose what many small calls cost.
import type { z } from 'zod';
import type { LlmModelPrice } from '#contract/money/llm-creds.ts';
import type { ModelUsage } from '#drivers/llm/port.ts';

export type Price = z.infer<typeof LlmModelPrice>;

/** Rounded up to the next micro-dollar. */
export function costMicros(price: Price, usage: ModelUsage): number {
  const rate = price.long_input !== undefined && usage.inputTokens > price.long_input.above_tokens ? price.long_input : price;
  const fresh = Math.max(0, usage.inputTokens - usage.cachedInputTokens - usage.cacheWriteTokens);
  const { input_micros_per_mtok: input } = rate;
  const total =
    times(fresh, input) +
    times(usage.cachedInputTokens, rate.cached_input_micros_per_mtok ?? input) +
    times(usage.cacheWriteTokens, rate.cache_write_micros_per_mtok ?? input) +
    times(usage.outputTokens, rate.output_micros_per_mtok);
  return Number((total + 999_999n) / 1_000_000n);
}

function times(tokens: number, micros: number): bigint {
  return BigInt(tokens) * BigInt(micros);
}

/** About how many tokens a text has: one for four bytes of English. */
export function likelyTokens(bytes: number): number {
  return Math.ceil(bytes / 4);
}

/** Hardly ever fewer than it has: for what is reserved. */
export function highTokens(bytes: number): number {
  return Math.ceil(bytes / 3) + 64;
}
