// A period of days, as the address has it. Days are those of UTC, as the platform counts.
export const GROUPINGS = ['agent', 'model', 'credential', 'purpose', 'person'] as const;
export type Grouping = (typeof GROUPINGS)[number];

const DAY_MS = 86_400_000;

export function dayIn(value: unknown): string | undefined {
  return typeof value === 'string' && /^\d{4}-\d{2}-\d{2}$/.test(value) && !Number.isNaN(Date.parse(value)) ? value : undefined;
}

const dayOf = (at: number): string => new Date(at).toISOString().slice(0, 10);

/** `days` days that end today. */
export function lastDays(days: number, now: number): { from: string; to: string } {
  return { from: dayOf(now - (days - 1) * DAY_MS), to: dayOf(now) };
}

/** The month up to today, which is what the API takes where none is named. */
export function thisMonth(now: number): { from: string; to: string } {
  const to = dayOf(now);
  return { from: `${to.slice(0, 8)}01`, to };
}

/** Every day of the period with its value; those that the API left out have none. */
export function everyDay<T>(period: { from: string; to: string }, known: readonly { day: string; value: T }[], none: T): { day: string; value: T }[] {
  const values = new Map(known.map(({ day, value }) => [day, value]));
  const [first, last] = [Date.parse(period.from), Date.parse(period.to)];
  const count = Math.max(0, Math.min(400, Math.round((last - first) / DAY_MS) + 1));
  return Array.from({ length: count }, (_, at) => {
    const day = dayOf(first + at * DAY_MS);
    return { day, value: values.get(day) ?? none };
  });
}
