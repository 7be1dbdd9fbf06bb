// What is in a column, in numbers.
import { deviation, extent, mean, median, quantile, rollup } from 'd3-array';
import type { Column } from './table.ts';

export interface Summary {
  name: string;
  kind: Column['kind'];
  count: number;
  missing: number;
  /** Of numbers. */
  min?: number;
  max?: number;
  mean?: number;
  median?: number;
  deviation?: number;
  /** Beyond one and a half times the middle half's width from it. */
  outliers?: number[];
  /** Of dates, ISO 8601. */
  from?: string;
  to?: string;
  /** Of texts: the most frequent ones. */
  top?: { value: string; count: number }[];
}

export function summaryOf(column: Column): Summary {
  const { name, kind } = column;
  const about = { name, kind, count: present<unknown>(column.values).length, missing: column.values.length - present<unknown>(column.values).length };
  if (column.kind === 'number') return { ...about, ...ofNumbers(present(column.values)) };
  if (column.kind === 'date') {
    const [from, to] = extent(present(column.values));
    return { ...about, ...(from && to && { from: from.toISOString(), to: to.toISOString() }) };
  }
  const counts = rollup(
    present(column.values),
    (same) => same.length,
    (value) => value,
  );
  const top = [...counts].toSorted(([a, many], [b, few]) => few - many || a.localeCompare(b)).slice(0, 5);
  return { ...about, top: top.map(([value, count]) => ({ value, count })) };
}

function ofNumbers(values: readonly number[]): Partial<Summary> {
  const [min, max] = extent(values);
  if (min === undefined || max === undefined) return {};
  const [low = min, high = max] = [quantile(values, 0.25), quantile(values, 0.75)];
  const reach = 1.5 * (high - low);
  return {
    min,
    max,
    mean: rounded(mean(values) ?? 0),
    median: rounded(median(values) ?? 0),
    deviation: rounded(deviation(values) ?? 0),
    outliers: values.filter((value) => value < low - reach || value > high + reach).slice(0, 20),
  };
}

/** Six significant digits: what more there is, is noise of the arithmetic. */
function rounded(value: number): number {
  return Number(value.toPrecision(6));
}

function present<T>(values: readonly (T | null)[]): T[] {
  return values.filter((value): value is T => value !== null);
}
