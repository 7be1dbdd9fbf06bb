// How long to wait before something that failed is tried again: 0.5 s, doubled each time, 30 s at most, of
// which half is left to chance.

const FIRST_MS = 500;
const LONGEST_MS = 30_000;

/** @param retry 1 for the first */
export function retryDelayMs(retry: number, random: () => number = Math.random): number {
  const whole = Math.min(LONGEST_MS, FIRST_MS * 2 ** Math.min(retry - 1, 16));
  return Math.round(whole * (0.5 + random() / 2));
}
