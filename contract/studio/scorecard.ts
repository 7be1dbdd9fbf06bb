// What is known of an agent as one number with its uncertainty: a Beta distribution over what went well and
// what did not. Pure.

/** Good and bad are weighted counts, which halve every HALF_LIFE_DAYS. */
export interface Evidence {
  good: number;
  bad: number;
}

export interface Score {
  /** 0 to 1. */
  mean: number;
  low: number;
  high: number;
  /** Weighted count that it rests on. */
  weight: number;
}

export const HALF_LIFE_DAYS = 60;
/** What one of a kind counts, beside a call: 1. */
export const WEIGHTS = { proof: 5, trial: 5, rating: 3 } as const;
const DAY = 86_400_000;

/** Share that is left after the time. */
export function decay(ms: number): number {
  return 0.5 ** (Math.max(0, ms) / DAY / HALF_LIFE_DAYS);
}

/**
 * With nothing known, anything between 0 and 1: mean one half. The interval is of 95 %, by the normal
 * approximation.
 */
export function scoreOfEvidence({ good, bad }: Evidence): Score {
  const [a, b] = [1 + good, 1 + bad];
  const mean = a / (a + b);
  const deviation = Math.sqrt((a * b) / ((a + b) ** 2 * (a + b + 1)));
  const wide = 1.96 * deviation;
  return { mean, low: Math.max(0, mean - wide), high: Math.min(1, mean + wide), weight: good + bad };
}
