// What the commands print: sizes, times, a line for each part.
const UNITS = ['B', 'kB', 'MB', 'GB', 'TB'];

/** 1.2 GB */
export function sizeOf(bytes: number): string {
  let value = bytes;
  let unit = 0;
  for (; value >= 1_000 && unit < UNITS.length - 1; unit += 1) value /= 1_000;
  return `${unit === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${UNITS[unit]}`;
}

/** 0.4 s, 12 s, 3 min 5 s */
export function timeOf(ms: number): string {
  const seconds = ms / 1_000;
  if (seconds < 10) return `${seconds.toFixed(1)} s`;
  return seconds < 120 ? `${Math.round(seconds)} s` : `${Math.floor(seconds / 60)} min ${Math.round(seconds % 60)} s`;
}

export function countOf(count: number, one: string, many = `${one}s`): string {
  return `${count.toLocaleString('en-US')} ${count === 1 ? one : many}`;
}

/** One line of a table: name, what, how much, how long. */
export const lineOf = (name: string, ...cells: string[]): string => [name.padEnd(14), ...cells.map((cell) => cell.padEnd(22))].join(' ').trimEnd();

/** Runs a step and prints its line. */
export function stepper(print: (line: string) => void) {
  return async <T>(name: string, work: () => Promise<T>, tell: (result: T) => string[]): Promise<T> => {
    const begun = performance.now();
    const result = await work();
    print(lineOf(name, ...tell(result), timeOf(performance.now() - begun)));
    return result;
  };
}

export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
