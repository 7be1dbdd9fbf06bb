// The figures that must not slip: each benchmark ends with its ratio to a peer of the same run; `npm run
// bench -- --quick` shows them as a table.

/** Set by `npm run bench -- --quick`: fewer and shorter rounds, for ratios only. */
export const QUICK = process.env.BENCH_QUICK === '1';

/** Rounds of a full run and of a quick one. */
export const rounds = (full: number, quick = 3): number => (QUICK ? quick : full);

export interface Ratio {
  name: string;
  /** Ours in terms of the peer's. */
  ratio: number;
  unit: '%' | 'x';
  /** Lowest and highest ratio of a round. */
  spread?: [number, number];
  /** At least this. */
  target: number;
}

const MARK = 'ratio: ';

export function printRatio(one: Ratio): void {
  const digits = one.unit === '%' ? 0 : 2;
  const say = (value: number): string => `${value.toFixed(digits)}${one.unit === '%' ? ' %' : 'x'}`;
  const spread = one.spread ? ` (${say(one.spread[0])} to ${say(one.spread[1])})` : '';
  process.stdout.write(`${MARK}${one.name}: ${say(one.ratio)}${spread}, target ${say(one.target)}: ${one.ratio >= one.target ? 'met' : 'missed'}\n`);
}

/** What printRatio wrote, found among the other lines of a benchmark's output. */
export function ratiosIn(output: string): { name: string; rest: string }[] {
  return output.split('\n').flatMap((line) => {
    const [, name = '', rest = ''] = new RegExp(`^${MARK}(.*?): (.*)$`).exec(line) ?? [];
    return name === '' ? [] : [{ name, rest }];
  });
}

export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

export interface Added {
  name: string;
  /** Milliseconds that ours takes longer than the peer. */
  ms: number;
  /** Lowest and highest of a round. */
  spread: [number, number];
  /** Less than this. */
  target: number;
}

export function printAdded({ name, ms, spread, target }: Added): void {
  const [low, high] = spread.map((one) => one.toFixed(2));
  process.stdout.write(`${MARK}${name}: ${ms.toFixed(2)} ms (${low} to ${high}), target below ${target} ms: ${ms < target ? 'met' : 'missed'}\n`);
}
