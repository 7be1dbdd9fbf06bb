// A price in words, before a call: the same everywhere.
import { dollars } from './dollars.ts';

/** Micro-credits, and how many calls are free. */
export interface PriceWords {
  call_micros: number;
  second_micros: number;
  token_micros: number;
  artifact_micros: number;
  max_micros: number;
  free_calls: number;
}

/** `$0.02 a call, $0.001 a second, at most $0.50`. */
export function priceWords(price: Omit<PriceWords, 'free_calls'>): string {
  const rates: [number, string][] = [
    [price.call_micros, 'a call'],
    [price.second_micros, 'a second'],
    [price.token_micros, 'a token'],
    [price.artifact_micros, 'an artifact'],
  ];
  const parts = rates.flatMap(([micros, unit]) => (micros === 0 ? [] : [`${dollars(micros)} ${unit}`]));
  const only = parts.length === 1 && price.call_micros === price.max_micros;
  return [...parts, ...(only ? [] : [`at most ${dollars(price.max_micros)}`])].join(', ');
}

/** `The first 5 calls of an account are free.`; empty: none is. */
export function freeWords({ free_calls }: Pick<PriceWords, 'free_calls'>): string {
  if (free_calls === 0) return '';
  return free_calls === 1 ? 'The first call of an account is free.' : `The first ${free_calls} calls of an account are free.`;
}
