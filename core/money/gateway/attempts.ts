// What is sent where the endpoint cannot take a request: the same again, then other models, by the rules of
// svc.yaml. Nothing is sent again once a word came.
import { modelMatches, type ModelTerms } from '#contract/wire/model-use.ts';
import type { ExchangeAnswer } from '#drivers/llm/exchange.ts';

/** Who asks waits no longer for the endpoint; another model is asked at once. */
const LONGEST_WAIT_MS = 10_000;
const FIRST_WAIT_MS = 500;

/** The model that was asked for, then those that may answer instead. */
export function candidateModels({ fallbacks = {} }: Pick<ModelTerms, 'fallbacks'>, model: string): string[] {
  const [, others = []] = Object.entries(fallbacks).find(([pattern]) => modelMatches(pattern, model)) ?? [];
  return [...new Set([model, ...others])];
}

/** Statuses that may pass by waiting, or at another model. */
export function isBusy(status: number): boolean {
  return status === 408 || status === 429 || status >= 500;
}

/** Codes of the same where there is no answer at all. */
export const NO_ANSWER: ReadonlySet<string> = new Set(['model_unreachable', 'model_timeout', 'model_overloaded']);

/**
 * Milliseconds before the next try of the same model; undefined: that is too long. `tried`: how often it was,
 * 1 or more.
 */
export function waitBefore(headers: ExchangeAnswer['headers'], tried: number): number | undefined {
  const [ms, seconds] = [Number(headers['retry-after-ms']), Number(headers['retry-after'])];
  const waitMs = ms > 0 ? ms : seconds >= 0 ? seconds * 1000 : FIRST_WAIT_MS * 2 ** (tried - 1);
  return waitMs <= LONGEST_WAIT_MS ? waitMs : undefined;
}
