// Counts of durations by size: what percentiles are read from when there are too many durations to sort.

/**
 * Lower ends of the buckets in milliseconds; the first is from 0. Each is a fifth wider than the one before,
 * up to a day.
 */
export const LATENCY_BOUNDS_MS: readonly number[] = bounds(1, 86_400_000);

function bounds(first: number, last: number): number[] {
  const lowerBounds = [first];
  for (let next = first; next < last; lowerBounds.push(next)) next = Math.min(last, Math.max(next + 1, Math.round(next * 1.2)));
  return lowerBounds;
}

/**
 * Counts by number of the bucket, as PostgreSQL's width_bucket counts them: 0 is below the first bound, n
 * from the nth bound on.
 */
export type Histogram = Readonly<Record<number, number>>;

export function mergeHistograms(histograms: readonly Histogram[]): Histogram {
  const sum = Array.from({ length: LATENCY_BOUNDS_MS.length + 1 }, () => 0);
  // As many as there are hours in a window: the way that makes no array of each.
  for (const histogram of histograms) for (const bucket in histogram) sum[Number(bucket)] = (sum[Number(bucket)] ?? 0) + (histogram[Number(bucket)] ?? 0);
  return Object.fromEntries([...sum.entries()].filter(([, calls]) => calls > 0));
}

/**
 * In milliseconds, straight between the ends of its bucket, so at most a fifth off. Null: nothing was
 * counted.
 */
export function percentileOf(histogram: Histogram, percent: number): number | null {
  let total = 0;
  for (const bucket in histogram) total += histogram[Number(bucket)] ?? 0;
  if (total === 0) return null;
  let left = (percent / 100) * total;
  for (let bucket = 0; bucket <= LATENCY_BOUNDS_MS.length; bucket += 1) {
    const count = histogram[bucket] ?? 0;
    if (count > 0 && left <= count) {
      const from = bucket === 0 ? 0 : (LATENCY_BOUNDS_MS[bucket - 1] ?? 0);
      const to = LATENCY_BOUNDS_MS[bucket] ?? from;
      return Math.round(from + (to - from) * (left / count));
    }
    left -= count;
  }
  return LATENCY_BOUNDS_MS.at(-1) ?? null;
}
