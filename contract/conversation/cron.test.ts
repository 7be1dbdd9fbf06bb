import { describe, expect, it, test } from 'vitest';
import { cronFault, DAY_MS, parseCron } from './cron.ts';

/** The days of a year, as the calendar writes them. */
const daysOf = (text: string, year: number): string[] => {
  const cron = parseCron(text);
  const first = Date.UTC(year, 0, 1) / DAY_MS;
  const all = Array.from({ length: 366 }, (_, n) => first + n).filter((day) => cron.comesOn(day));
  return all.map((day) => new Date(day * DAY_MS).toISOString().slice(0, 10)).filter((day) => day.startsWith(String(year)));
};
const clockOf = (text: string): string[] =>
  parseCron(text).minutes.map((minute) => `${String(Math.floor(minute / 60)).padStart(2, '0')}:${String(minute % 60).padStart(2, '0')}`);

describe('cron', () => {
  test.each([
    ['30 2 * * *', ['02:30']],
    ['*/30 9-10 * * mon-fri', ['09:00', '09:30', '10:00', '10:30']],
    ['5/20 0 * * 7', ['00:05', '00:25', '00:45']],
    ['0 */12 * * *', ['00:00', '12:00']],
    ['*/90 0 * * *', ['00:00']],
  ])('%s comes at', (text, expected) => expect(clockOf(text)).toEqual(expected));

  test.each([
    ['0 0 1,15 jan,JUL *', ['2026-01-01', '2026-01-15', '2026-07-01', '2026-07-15']],
    ['0 0 29 2 *', []],
    ['0 12 * 2 5-7', ['01', '06', '07', '08', '13', '14', '15', '20', '21', '22', '27', '28'].map((day) => `2026-02-${day}`)],
    // Both days restricted: either; a star in front: both. As crontab does.
    ['0 9 13 3 fri', ['2026-03-06', '2026-03-13', '2026-03-20', '2026-03-27']],
    ['0 9 */2 3 fri', ['2026-03-13', '2026-03-27']],
    ['0 9 31 2 mon', ['2026-02-02', '2026-02-09', '2026-02-16', '2026-02-23']],
    ['0 9 * 3-5 mon#2', ['2026-03-09', '2026-04-13', '2026-05-11']],
    ['0 9 * 1-6 fri#5', ['2026-01-30', '2026-05-29']],
    ['0 9 * 1-3 friL', ['2026-01-30', '2026-02-27', '2026-03-27']],
    ['0 9 L 1-4 *', ['2026-01-31', '2026-02-28', '2026-03-31', '2026-04-30']],
    ['0 9 LW 1-4 *', ['2026-01-30', '2026-02-27', '2026-03-31', '2026-04-30']],
    ['0 9 15w 8,11 *', ['2026-08-14', '2026-11-16']],
    ['0 9 1W 8 *', ['2026-08-03']],
    ['0 9 31W 1-5 *', ['2026-01-30', '2026-03-31', '2026-05-29']],
    ['0 9 1,15W,L 8 *', ['2026-08-01', '2026-08-14', '2026-08-31']],
  ])('%s comes on', (text, expected) => expect(daysOf(text, 2026)).toEqual(expected));

  it('says whether it names every hour, however it is written', () => {
    expect(['* * * * *', '15 0-23 * * mon', '*/5 */1 * * *'].every((text) => parseCron(text).everyHour)).toBe(true);
    expect(['0 0-22 * * *', '0 */2 * * *'].some((text) => parseCron(text).everyHour)).toBe(false);
  });

  test.each([
    ['* * * *', /five fields/],
    ['*/10 * * * * *', /6 fields.*once a minute/],
    ['@every 10s', /five fields/],
    ['@daily', /five fields/],
    ['60 * * * *', /minute "60": use 0 to 59/],
    ['0 24 * * *', /hour "24": use 0 to 23/],
    ['0 0 0 * *', /day of month "0": use 1 to 31.*15W/],
    ['0 0 * 13 *', /month "13": use 1 to 12 or jan to dec/],
    ['0 0 * * 8', /day of week "8": use 0 to 7/],
    ['*/0 * * * *', /"\/" is a number from 1/],
    ['1-2-3 * * * *', /two ends/],
    ['0 22-4 * * *', /two ranges/],
    ['0 0 31 2,4 *', /never comes/],
    ['0 0 30W 2 *', /never comes/],
    ['', /five fields/],
    ['a b c d e', /minute "a"/],
    ['-1 * * * *', /minute/],
    ['0x1 * * * *', /minute/],
    ['1,,2 * * * *', /minute ""/],
    ['0L * * * *', /minute "0l"/],
    ['0 9 * 1W *', /month "1w"/],
    ['0 9 * * 5W', /day of week "5w".*mon#2/],
    ['0 9 * * L', /day of week "l".*friL/],
    ['0 9 * * 1#6', /day of week "1#6"/],
    ['0 9 L-3 * *', /day of month "l-3"/],
    ['0 9 L,LW * *', /LW \(the last weekday\) takes no others/],
    ['0 9 10-15W * *', /day of month "10-15w"/],
    ['0 9 32W * *', /day of month "32w"/],
    ['0 9 ? * 1', /day of month "\?"/],
    ['0 9 13 * +fri', /day of week "\+fri"/],
    ['0 9 * * monday', /day of week "monday"/],
  ])('refuses %s', (text, message) => expect(cronFault(text)).toMatch(message));
});
