// How sure a mean is: its interval by bootstrap (Efron), the same on every machine.
import { Random } from './random.ts';

export interface Interval {
  mean: number;
  low: number;
  high: number;
}

const BOOTSTRAPS = 1_000;
const STREAM = 3;

/**
 * The mean of integers, and where it lies with a probability of 95 %: percentiles of means of samples drawn
 * with replacement. At least one value.
 */
export function interval(values: readonly number[], seed: number): Interval {
  const random = Random.of(seed, STREAM);
  const meanOf = (sum: number): number => Math.round(sum / values.length);
  const means = Array.from({ length: BOOTSTRAPS }, () => {
    let sum = 0;
    for (let n = 0; n < values.length; n += 1) sum += values[random.below(values.length)] ?? 0;
    return meanOf(sum);
  }).toSorted((a, b) => a - b);
  const at = (share: number): number => means[Math.floor(share * (BOOTSTRAPS - 1))] ?? 0;
  return { mean: meanOf(values.reduce((sum, value) => sum + value, 0)), low: at(0.025), high: at(0.975) };
}
