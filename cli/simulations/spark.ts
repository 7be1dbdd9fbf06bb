// A plot in one line.

const BARS = '▁▂▃▄▅▆▇█';

/** At most `width` bars, each the mean of the values that it stands for; a flat line is drawn low. */
export function sparkline(values: readonly number[], width = 60): string {
  const count = Math.min(width, values.length);
  const means = Array.from({ length: count }, (_, at) => {
    const part = values.slice(Math.floor((at * values.length) / count), Math.floor(((at + 1) * values.length) / count));
    return part.reduce((sum, value) => sum + value, 0) / part.length;
  });
  const [low, high] = [Math.min(...means), Math.max(...means)];
  return means.map((mean) => BARS[high === low ? 0 : Math.round(((mean - low) / (high - low)) * (BARS.length - 1))] ?? '').join('');
}

/** Thousandths of a point. */
export const points = (thousandths: number): string => (thousandths / 1000).toFixed(1);
