import { expect, test } from 'vitest';
import type { StudioRunOut } from '#contract/studio/studio-brief.ts';
import { phasesOf, priceOf, stepOf } from './words.ts';

type Run = Parameters<typeof phasesOf>[0];
const iteration: StudioRunOut['iterations'][number] = {
  number: 0,
  commit: 'c0ffee',
  written_by: 'recipe',
  checks: 'passed',
  message: null,
  findings: [],
  created_at: '2026-12-04T08:00:00.000Z',
};
const run = (of: Partial<Run>): Run => ({ state: 'queued', deploy_id: null, iterations: [], trials: [], challenge_job_id: null, ...of });
const states = (of: Partial<Run>): string => phasesOf(run(of)).map(({ state }) => state).join(' '); // prettier-ignore

test('what goes on stands where it is: the source first, then the live agent', () => {
  expect(states({})).toBe('later later later later later later');
  expect(states({ state: 'building' })).toBe('now later later later later later');
  expect(states({ state: 'evaluating' })).toBe('done now later later later later');
  expect(states({ state: 'evaluating', deploy_id: 'dep_1' })).toBe('done done done done now later');
  expect(states({ state: 'reviewing', deploy_id: 'dep_1' })).toBe('done done done done left_out now');
});

test('what has ended stands where it stopped', () => {
  const sample = { skill: 'check', run_id: 'run_1', state: 'succeeded' as const, good: true, reason: null, receipt_id: null };
  expect(states({ state: 'live', deploy_id: 'dep_1', trials: [sample], challenge_job_id: 'job_1' })).toBe('done done done done done done');
  expect(states({ state: 'live', deploy_id: 'dep_1' })).toBe('done done done done left_out left_out');
  expect(states({ state: 'failed' })).toBe('stopped later later later later later');
  expect(states({ state: 'failed', iterations: [{ ...iteration, checks: 'failed' }] })).toBe('done stopped later later later later');
  expect(states({ state: 'cancelled', iterations: [iteration] })).toBe('done done stopped later later later');
  const bad = { skill: 'check', run_id: 'run_1', state: 'failed' as const, good: false, reason: null, receipt_id: null };
  expect(states({ state: 'partial', deploy_id: 'dep_1', iterations: [iteration], trials: [bad] })).toBe('done done done done stopped later');
});

test('a step says who did what, and whether it was refused', () => {
  expect(stepOf('studio.step', { phase: 'reviewing', actor: 'reviewer', status: 'refused', message: 'A secret is in the source' })).toEqual({
    who: 'reviewer',
    message: 'A secret is in the source',
    refused: true,
  });
  expect(stepOf('job.running', {})).toBeUndefined();
});

test('a price that depends on the call is not a number', () => {
  expect([priceOf(null), priceOf(0), priceOf(2_500)]).toEqual(['depends on the call', 'free', '0.0025 credits']);
});
