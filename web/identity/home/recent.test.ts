import { expect, test } from 'vitest';
import { endedSince, type Job, pageOf, yesterday } from './recent.ts';

test('since yesterday is from its first minute on', () => {
  expect(yesterday(new Date(2026, 2, 1, 15, 30))).toEqual(new Date(2026, 1, 28));
});

test('only what has ended since', () => {
  const job = (ended_at: string | null): Job => ({ job_id: 'job_1', ended_at }) as Job;
  const all = [job('2026-11-02T00:00:00Z'), job('2026-10-31T23:00:00Z'), job(null)];
  expect(endedSince(all, new Date('2026-11-01T00:00:00Z'))).toEqual([all[0]]);
});

test('a run has a page of its own', () => {
  expect(pageOf({ kind: 'run', job_id: 'job_1', input: { run_id: 'run_1' } })).toBe('/runs/run_1');
  expect(pageOf({ kind: 'deploy', job_id: 'job_1', input: {} })).toBe('/jobs/job_1');
});
