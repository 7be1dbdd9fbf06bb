// When a cron expression comes next, on the clocks of a time zone, to be shown while it is typed. What the scheduler computes is what counts. Pure.
import { type Cron } from '#contract/runs/cron.ts';

const DAY_MS = 86_400_000;
/** 29 February comes at least once in so many days. */
const DAYS_AHEAD = 366 * 9;

/** The next instants, in milliseconds, after `from`. Times that a change of the clocks leaves out do not come. */
export function nextTimes(cron: Cron, timeZone: string, from: number, count: number): number[] {
  const offsetAt = offsets(timeZone);
  const found: number[] = [];
  // The day on the zone's clock; one before, because hours may repeat over midnight.
  const today = Math.floor((from + offsetAt(from)) / DAY_MS) - 1;
  for (let day = today; day < today + DAYS_AHEAD && found.length < count; day += 1) {
    if (!comesOn(cron, new Date(day * DAY_MS))) continue;
    const times = cron.hour.flatMap((hour) => cron.minute.flatMap((minute) => instantsOf(day * DAY_MS + (hour * 60 + minute) * 60_000, offsetAt)));
    found.push(...[...new Set(times)].filter((at) => at > from).toSorted((a, b) => a - b));
  }
  return found.slice(0, count);
}

function comesOn({ month, dayOfMonth, dayOfWeek, eitherDay }: Cron, date: Date): boolean {
  if (!month.includes(date.getUTCMonth() + 1)) return false;
  const [ofMonth, ofWeek] = [dayOfMonth.includes(date.getUTCDate()), dayOfWeek.includes(date.getUTCDay())];
  return eitherDay ? ofMonth || ofWeek : ofMonth && ofWeek;
}

/** At which instants the clock shows this: none, one, or two where it is set back. */
function instantsOf(clock: number, offsetAt: (at: number) => number): number[] {
  const guesses = new Set([clock - offsetAt(clock - DAY_MS), clock - offsetAt(clock + DAY_MS)]);
  return [...guesses].filter((at) => at + offsetAt(at) === clock);
}

/** Milliseconds that the zone's clock is ahead of UTC at an instant. */
function offsets(timeZone: string): (at: number) => number {
  const parts = { year: 'numeric', month: 'numeric', day: 'numeric', hour: 'numeric', minute: 'numeric', second: 'numeric' } as const;
  const clock = new Intl.DateTimeFormat('en', { timeZone, hourCycle: 'h23', era: 'short', ...parts });
  return (at) => {
    const shown = new Map(clock.formatToParts(at).map(({ type, value }) => [type, Number(value)]));
    const of = (name: Intl.DateTimeFormatPartTypes): number => shown.get(name) ?? 0;
    const seen = Date.UTC(of('year'), of('month') - 1, of('day'), of('hour'), of('minute'), of('second'));
    return seen - Math.floor(at / 1000) * 1000;
  };
}
