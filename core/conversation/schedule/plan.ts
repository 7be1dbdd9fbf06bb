// The times of a schedule as calendars in UTC, for the engine. They reach a little over a year ahead and are
// written anew each month: rules of time zones change.
import { DAY_MS, MINUTE_MS } from '#contract/conversation/cron.ts';
import { type DueRule, dueTimes, firstDue } from '#contract/conversation/due-times.ts';
import { zonePieces, type ZonePiece } from '#contract/conversation/zone-pieces.ts';
import type { UtcCalendar } from '#drivers/workflows/schedules.ts';

/** More than the longest catch-up window: an engine that was down for a year still knows what it missed. */
export const planDays = 430;
/** A plan that reaches less far is written anew. */
export const renewDays = 400;
/** Of a schedule that comes more rarely than the plan reaches. */
const atLeast = 3;

export function plannedCalendars(rule: DueRule, now: number): UtcCalendar[] {
  const today = Math.floor(now / DAY_MS);
  const minutesOf = minutesOfDay(rule, today);
  const days = new Map<number, readonly number[]>();
  for (let day = today; day <= today + planDays; day += 1) days.set(day, minutesOf(day));
  const rare = firstDue(rule, now, atLeast).map((at) => Math.floor(at / DAY_MS));
  for (const day of rare) if (!days.has(day)) days.set(day, dueOn(rule, day));
  return calendarsOf(days);
}

/**
 * Minutes of a day in UTC. Far from a change of the clock they follow from which days of the zone's calendar
 * it touches.
 */
function minutesOfDay(rule: DueRule, today: number): (day: number) => readonly number[] {
  const pieces = [...zonePieces(rule.timeZone, (today - 2) * DAY_MS, (today + planDays + 3) * DAY_MS)];
  const known = new Map<string, readonly number[]>();
  return (day) => {
    const piece = pieces.find((one) => day * DAY_MS < one.end);
    if (!piece || !evenOn(piece, day)) return dueOn(rule, day);
    const first = Math.floor((day * DAY_MS + piece.ahead) / DAY_MS);
    const key = `${piece.ahead} ${rule.cron.comesOn(first)} ${rule.cron.comesOn(first + 1)}`;
    const minutes = known.get(key) ?? dueOn(rule, day);
    known.set(key, minutes);
    return minutes;
  };
}

/** The day lies in it, and what a change at its beginning may have repeated is over. */
function evenOn({ start, end, ahead, before }: ZonePiece, day: number): boolean {
  return (day + 1) * DAY_MS <= end && day * DAY_MS > start + (ahead === before ? -1 : DAY_MS);
}

function dueOn(rule: DueRule, day: number): number[] {
  return [...dueTimes(rule, day * DAY_MS, (day + 1) * DAY_MS)].map((at) => (at - day * DAY_MS) / MINUTE_MS);
}

function calendarsOf(days: ReadonlyMap<number, readonly number[]>): UtcCalendar[] {
  const byClock = groups(days.entries(), ([, minutes]) => minutes.join());
  return [...byClock.values()].flatMap((alike) => {
    const [, minutes = []] = alike[0] ?? [];
    const dates = datesOf(alike.map(([day]) => day));
    return clocksOf(minutes).flatMap((clock) => dates.map((date) => ({ ...date, ...clock })));
  });
}

/** Years and months that have the same days are one. */
function datesOf(days: readonly number[]): UtcCalendar[] {
  const dates = days.toSorted((a, b) => a - b).map((day) => new Date(day * DAY_MS));
  const months = [...groups(dates, (date) => date.toISOString().slice(0, 7)).values()].map(([first, ...more]) => {
    const all = first ? [first, ...more] : [];
    const [year, month] = [first?.getUTCFullYear() ?? 0, (first?.getUTCMonth() ?? 0) + 1];
    const whole = all.length === new Date(Date.UTC(year, month, 0)).getUTCDate();
    return { year, month, days: whole ? Array.from({ length: 31 }, (_, n) => n + 1) : all.map((date) => date.getUTCDate()) };
  });
  const alike = groups(months, ({ year, days: ofMonth }) => `${year} ${ofMonth.join()}`);
  return [...alike.values()].map((same) => ({ years: [same[0]?.year ?? 0], months: same.map(({ month }) => month), days: same[0]?.days ?? [] }));
}

/** Hours that have the same minutes are one. */
function clocksOf(minutes: readonly number[]): UtcCalendar[] {
  const hours = [...groups(minutes, (minute) => String(Math.floor(minute / 60)))].map(([hour, of]) => ({
    hour: Number(hour),
    minutes: of.map((minute) => minute % 60),
  }));
  const alike = groups(hours, ({ minutes: ofHour }) => ofHour.join());
  return [...alike.values()].map((same) => ({ hours: same.map(({ hour }) => hour), minutes: same[0]?.minutes ?? [] }));
}

function groups<T>(all: Iterable<T>, keyOf: (one: T) => string): Map<string, T[]> {
  const byKey = new Map<string, T[]>();
  for (const one of all) {
    const key = keyOf(one);
    const same = byKey.get(key);
    if (same) same.push(one);
    else byKey.set(key, [one]);
  }
  return byKey;
}
