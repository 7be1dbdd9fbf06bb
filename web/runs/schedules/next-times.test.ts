import { expect, test } from 'vitest';
import { parseCron } from '#contract/runs/cron.ts';
import { nextTimes } from './next-times.ts';

const next = (cron: string, zone: string, from: string, count = 3): string[] =>
  nextTimes(parseCron(cron), zone, Date.parse(from), count).map((at) => new Date(at).toISOString().slice(0, 16));

test('on the clock of its zone, after the instant given', () => {
  expect(next('30 9 * * *', 'UTC', '2026-01-02T09:30:00Z')).toEqual(['2026-01-03T09:30', '2026-01-04T09:30', '2026-01-05T09:30']);
  expect(next('30 9 * * mon-fri', 'Europe/Berlin', '2026-01-02T00:00:00Z')).toEqual(['2026-01-02T08:30', '2026-01-05T08:30', '2026-01-06T08:30']);
  expect(next('0 0 * * *', 'Asia/Kathmandu', '2026-01-02T00:00:00Z', 1)).toEqual(['2026-01-02T18:15']);
  expect(next('*/20 * * * *', 'America/Los_Angeles', '2026-01-02T00:01:00Z')).toEqual(['2026-01-02T00:20', '2026-01-02T00:40', '2026-01-02T01:00']);
});

test('either day will do where both are restricted', () => {
  expect(next('0 0 13 * fri', 'UTC', '2026-01-10T00:00:00Z')).toEqual(['2026-01-13T00:00', '2026-01-16T00:00', '2026-01-23T00:00']);
});

test('a time that summer time leaves out does not come; one that is repeated comes', () => {
  expect(next('30 2 * * *', 'Europe/Berlin', '2026-03-28T12:00:00Z', 2)).toEqual(['2026-03-30T00:30', '2026-03-31T00:30']);
  expect(next('30 2 25 10 *', 'Europe/Berlin', '2026-10-24T12:00:00Z', 2)).toEqual(['2026-10-25T00:30', '2026-10-25T01:30']);
});

test('rare days are found', () => {
  expect(next('0 0 29 2 *', 'UTC', '2096-03-01T00:00:00Z', 1)).toEqual(['2104-02-29T00:00']);
  expect(next('0 12 31 * *', 'UTC', '2026-04-01T00:00:00Z', 2)).toEqual(['2026-05-31T12:00', '2026-07-31T12:00']);
});
