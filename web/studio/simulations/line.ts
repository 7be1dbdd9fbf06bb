/** Where a value lies between two others: 0 to 1; in the middle where they are the same. */
export const placeOf = (value: number, from: number, to: number): number => (to === from ? 0.5 : (value - from) / (to - from));

/**
 * Points of a polyline from the first value at the left to the last at the right; the largest is at the top.
 */
export function lineOf(values: readonly number[], width: number, height: number): string {
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const step = values.length > 1 ? width / (values.length - 1) : 0;
  const margin = 4;
  const y = (value: number): number => height - margin - placeOf(value, low, high) * (height - 2 * margin);
  return values.map((value, at) => `${(at * step).toFixed(1)},${y(value).toFixed(1)}`).join(' ');
}

/** Thousandths of a point as people read them. */
export const points = (thousandths: number): string => (thousandths / 1000).toFixed(1);
