// What a schedule means, against an oracle that knows neither the library nor our code: it walks a year in
// UTC minute by minute, asks Intl what the clock shows, and decides by the rules.
import { describe, expect, it, test } from 'vitest';
import { parseCron } from './cron.ts';
import { clockChanges, dueTimes, type DueRule, firstDue } from './due-times.ts';

const minute = 60_000;
const day = 86_400_000;
const ruleOf = (cron: string, timeZone: string, more: Partial<DueRule> = {}): DueRule => ({
  cron: parseCron(cron),
  timeZone,
  skippedTimes: 'run_after',
  repeatedTimes: 'once',
  ...more,
});
const utc = (at: number): string => new Date(at).toISOString().slice(0, 16);
const due = (cron: string, zone: string, from: string, until: string, more: Partial<DueRule> = {}): string[] =>
  [...dueTimes(ruleOf(cron, zone, more), Date.parse(from), Date.parse(until))].map(utc);

/**
 * What the zone's clock shows, for each minute of the year. Intl is asked at each quarter of an hour, and at
 * each minute of one in which the clock is set.
 */
function clockOfYear(timeZone: string, year: number): { start: number; shown: Float64Array } {
  const format = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'medium' });
  const start = Date.UTC(year, 0, 1);
  const shown = new Float64Array((Date.UTC(year + 1, 0, 1) - start) / minute);
  const ask = (at: number): number => Date.parse(`${format.format(start + at * minute).replace(' ', 'T')}Z`);
  for (let at = 0, first = ask(0); at < shown.length; at += 15) {
    const next = ask(at + 15);
    const even = next - first === 15 * minute;
    for (let n = 0; n < 15; n += 1) shown[at + n] = even ? first + n * minute : ask(at + n);
    first = next;
  }
  return { start, shown };
}

interface Chosen {
  minutes: number[];
  hours: number[];
  daysOfMonth: number[] | undefined;
  daysOfWeek: number[] | undefined;
}

function comes({ minutes, hours, daysOfMonth, daysOfWeek }: Chosen, clock: number): boolean {
  const date = new Date(clock);
  if (!minutes.includes(date.getUTCMinutes()) || !hours.includes(date.getUTCHours())) return false;
  const [ofMonth, ofWeek] = [daysOfMonth?.includes(date.getUTCDate()), daysOfWeek?.includes(date.getUTCDay())];
  const restricted = [ofMonth, ofWeek].filter((one) => one !== undefined);
  return restricted.length === 0 || restricted.includes(true);
}

function oracle(chosen: Chosen, { start, shown }: ReturnType<typeof clockOfYear>, { skippedTimes, repeatedTimes }: DueRule): number[] {
  const found: number[] = [];
  const interval = chosen.hours.length === 24;
  let highest = (shown[0] ?? 0) - minute;
  for (const [at, clock] of shown.entries()) {
    const again = clock <= highest;
    let runs = comes(chosen, clock) && (!again || interval || repeatedTimes === 'twice');
    if (!interval && skippedTimes === 'run_after') {
      const before = at === 0 ? clock - minute : (shown[at - 1] ?? 0);
      for (let missing = before + minute; missing < clock; missing += minute) runs ||= comes(chosen, missing);
    }
    if (runs) found.push(start + at * minute);
    highest = Math.max(highest, clock);
  }
  return found;
}

/** The same numbers at each run. */
function numbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

function randomCron(pick: (below: number) => number): { text: string; chosen: Chosen } {
  const some = (low: number, high: number): number[] =>
    [...new Set(Array.from({ length: 1 + pick(3) }, () => low + pick(high - low + 1)))].toSorted((a, b) => a - b);
  const span = (low: number, high: number): number[] => Array.from({ length: high - low + 1 }, (_, n) => low + n);
  const step = [5, 10, 15, 20, 30][pick(5)] ?? 30;
  const minutes = pick(2) === 0 ? { text: `*/${step}`, of: span(0, 59).filter((n) => n % step === 0) } : listed(some(0, 59));
  // Clocks are set at night.
  const from = pick(3);
  const hours =
    [
      () => ({ text: '*', of: span(0, 23) }),
      () => ({ text: `${from}-${from + 3}`, of: span(from, from + 3) }),
      () => listed(some(0, 3)),
      () => listed(some(0, 23)),
    ][pick(4)] ?? (() => ({ text: '*', of: span(0, 23) }));
  const [hour, dom, dow] = [hours(), pick(4) === 0 ? listed(some(1, 31)) : undefined, pick(3) === 0 ? listed(some(0, 6)) : undefined];
  return {
    text: `${minutes.text} ${hour.text} ${dom?.text ?? '*'} * ${dow?.text ?? '*'}`,
    chosen: { minutes: minutes.of, hours: hour.of, daysOfMonth: dom?.of, daysOfWeek: dow?.of },
  };
}

const listed = (of: number[]): { text: string; of: number[] } => ({ text: of.join(','), of });

describe('over a year, as an oracle decides minute by minute', () => {
  test.each([
    ['Europe/Berlin', 2027],
    ['America/New_York', 2027],
    // Set at one minute past midnight.
    ['America/St_Johns', 2010],
    ['Australia/Lord_Howe', 2027],
    ['Africa/Casablanca', 2027],
    ['Asia/Tehran', 2021],
    ['Pacific/Apia', 2011],
    ['Antarctica/Troll', 2027],
    ['America/Santiago', 2027],
    ['Asia/Kathmandu', 1986],
    ['Pacific/Chatham', 2027],
    ['America/Sao_Paulo', 2018],
    ['Asia/Pyongyang', 2018],
    ['America/Caracas', 2016],
  ])('%s %i', (timeZone, year) => {
    const clock = clockOfYear(timeZone, year);
    const pick = numbers(year + timeZone.length);
    for (let n = 0; n < 4; n += 1) {
      const { text, chosen } = randomCron(pick);
      const more = { skippedTimes: pick(2) === 0 ? 'run_after' : 'leave_out', repeatedTimes: pick(2) === 0 ? 'once' : 'twice' } as const;
      const rule = ruleOf(text, timeZone, more);
      const expected = oracle(chosen, clock, rule);
      const allowed = new Set(expected);
      const found = [...dueTimes(rule, clock.start, clock.start + clock.shown.length * minute)];
      const say = `${text} ${JSON.stringify(more)}`;
      expect(
        found
          .filter((at) => !allowed.has(at))
          .slice(0, 5)
          .map(utc),
        `${say}: too many`,
      ).toEqual([]);
      expect(found.join() === expected.join(), say).toBe(true);
    }
  });
});

describe('changes of the clock', () => {
  it('loses no time that exists', () => {
    expect(due('*/30 2-5 * * *', 'Europe/Berlin', '2027-03-28', '2027-03-28T02:00Z')).toEqual(['2027-03-28T01:00', '2027-03-28T01:30']);
    expect(due('*/30 2-5 * * *', 'Europe/Berlin', '2027-10-31', '2027-10-31T03:00Z')).toEqual([
      '2027-10-31T00:00',
      '2027-10-31T00:30',
      '2027-10-31T02:00',
      '2027-10-31T02:30',
    ]);
  });

  test.each([
    ['30 2 * * *', 'Europe/Berlin', '2027-03-28', ['2027-03-28T01:00']],
    ['15 2 * * *', 'Australia/Lord_Howe', '2027-10-02', ['2027-10-02T15:30']],
    ['30 1 28 3 *', 'Antarctica/Troll', '2027-03-28', ['2027-03-28T01:00']],
    ['0 0 * * *', 'America/Sao_Paulo', '2018-11-04', ['2018-11-04T03:00']],
    ['5,35 2 * * *', 'America/New_York', '2027-03-14', ['2027-03-14T07:00']],
    ['0 3 * * *', 'Europe/Berlin', '2027-03-28', ['2027-03-28T01:00']],
    // The 30th of December was no day: its nine o'clock comes with the first minute of the 31st.
    ['0 9 * * *', 'Pacific/Apia', '2011-12-30', ['2011-12-30T10:00', '2011-12-30T19:00']],
  ])('%s in %s: what is skipped runs at the first minute after, once', (cron, zone, from, expected) => {
    const start = Date.parse(`${from}T00:00Z`);
    expect(due(cron, zone, utc(start) + 'Z', utc(start + day) + 'Z')).toEqual(expected);
  });

  it('leaves it out where that is wanted', () => {
    expect(due('30 2 * * *', 'Europe/Berlin', '2027-03-27T12:00Z', '2027-03-29T12:00Z', { skippedTimes: 'leave_out' })).toEqual(['2027-03-29T00:30']);
  });

  it('runs what comes twice once, at the first, or both times where that is wanted', () => {
    const autumn = ['2027-10-31T00:00Z', '2027-11-01T00:00Z'] as const;
    expect(due('30 2 * * *', 'Europe/Berlin', ...autumn)).toEqual(['2027-10-31T00:30']);
    expect(due('30 2 * * *', 'Europe/Berlin', ...autumn, { repeatedTimes: 'twice' })).toEqual(['2027-10-31T00:30', '2027-10-31T01:30']);
    // Asked between the two, and in the middle of the second hour.
    expect(due('30 2 * * *', 'Europe/Berlin', '2027-10-31T01:10Z', autumn[1])).toEqual([]);
  });

  it('keeps a schedule for every hour even: nothing is put in, nothing left out', () => {
    expect(due('15 * * * *', 'Europe/Berlin', '2027-03-28T00:00Z', '2027-03-28T03:00Z')).toEqual([0, 1, 2].map((hour) => `2027-03-28T0${hour}:15`));
    expect(due('15 * * * *', 'Europe/Berlin', '2027-10-31T00:00Z', '2027-10-31T03:00Z')).toEqual([0, 1, 2].map((hour) => `2027-10-31T0${hour}:15`));
    expect([...clockChanges(ruleOf('15 * * * *', 'Europe/Berlin'), Date.parse('2027-01-01'), Date.parse('2028-01-01'))]).toEqual([]);
  });

  it('can be told beforehand', () => {
    const told = (cron: string, more: Partial<DueRule> = {}): unknown[] =>
      [...clockChanges(ruleOf(cron, 'Europe/Berlin', more), Date.parse('2027-01-01'), Date.parse('2028-01-01'))].map((change) => [
        change.kind,
        utc(change.clock),
        change.count,
        change.runs.map(utc),
      ]);
    expect(told('30 2 * * *')).toEqual([
      ['skipped', '2027-03-28T02:30', 1, ['2027-03-28T01:00']],
      ['repeated', '2027-10-31T02:30', 1, ['2027-10-31T00:30']],
    ]);
    expect(told('*/20 2 * * sun', { skippedTimes: 'leave_out', repeatedTimes: 'twice' })).toEqual([
      ['skipped', '2027-03-28T02:00', 3, []],
      ['repeated', '2027-10-31T02:00', 3, ['2027-10-31T00:00', '2027-10-31T01:00']],
    ]);
    expect(told('0 9 * * *')).toEqual([]);
  });
});

test('the next ones, after the instant given, however rare', () => {
  const next = (cron: string, zone: string, from: string, count = 2): string[] => firstDue(ruleOf(cron, zone), Date.parse(from), count).map(utc);
  expect(next('0 0 * * *', 'Asia/Kathmandu', '2026-01-02T00:00:00Z', 1)).toEqual(['2026-01-02T18:15']);
  expect(next('0 0 29 2 *', 'UTC', '2096-03-01T00:00:00Z', 1)).toEqual(['2104-02-29T00:00']);
  expect(next('0 9 * * mon#2', 'Europe/Berlin', '2027-03-01T00:00:00Z')).toEqual(['2027-03-08T08:00', '2027-04-12T07:00']);
  expect(next('0 9 L * *', 'UTC', '2028-02-01T00:00:00Z')).toEqual(['2028-02-29T09:00', '2028-03-31T09:00']);
  // 15 August 2026 is a Saturday, 15 November a Sunday, 1 August a Saturday: W never leaves the month.
  expect(next('0 9 15W 8,11 *', 'UTC', '2026-08-01T00:00:00Z')).toEqual(['2026-08-14T09:00', '2026-11-16T09:00']);
  expect(next('0 9 1W 8 *', 'UTC', '2026-07-01T00:00:00Z', 1)).toEqual(['2026-08-03T09:00']);
  expect(next('0 9 LW * *', 'UTC', '2026-01-01T00:00:00Z')).toEqual(['2026-01-30T09:00', '2026-02-27T09:00']);
  expect(next('0 9 * * friL', 'UTC', '2026-01-01T00:00:00Z')).toEqual(['2026-01-30T09:00', '2026-02-27T09:00']);
  expect(firstDue(ruleOf('0 0 1 * *', 'UTC'), Date.parse('2026-01-01') + 31 * day, 1).map(utc)).toEqual(['2026-02-01T00:00']);
});
