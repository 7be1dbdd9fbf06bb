// Contestants of trial rooms on a real Temporal, with a worker and an agent in processes of their own, taken
// away in the middle.
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { TrialRoomIn, type TrialRunOut } from '#contract/studio/trial-rooms.ts';
import { cancelJob } from '#core/runs/job/cancel.ts';
import { durableRuns, within } from '#test/support/durable/runs.ts';
import { durableWorld, type DurableWorld } from '#test/support/durable/world.ts';
import { recordHistory } from '#test/support/record-history.ts';
import { createRoom } from './create.ts';
import { readRoom } from './read.ts';
import { workflowOfTrial } from './row.ts';
import { startRuns } from './run.ts';

let w: DurableWorld;
const runs = durableRuns(() => w);
beforeAll(async () => void (w = await durableWorld()));
afterAll(() => w.close());

async function begun(slug: string, skill: string, cases: object[], more: object = {}): Promise<TrialRunOut> {
  await createRoom(w.ada, TrialRoomIn.parse({ title: slug, slug, goal: 'Do it', blind: false, cases, ...more }));
  const { items } = await startRuns(w.ada, { slug, contestants: [{ agent: w.agent.name, skill }] });
  const [one] = items;
  if (!one) throw new Error('nothing was started');
  return one;
}
const ended = (slug: string): Promise<TrialRunOut> =>
  vi.waitFor(async () => {
    const [one] = (await readRoom(w.ada, { slug })).contestants;
    if (!one || one.ended_at === null) throw new Error('still running');
    return one;
  }, within);

test('every case is one run under a grant of its own, with a receipt and a score; a case that asks a person or fails scores nothing', async () => {
  await begun('sums', 'add', [{ inputs: { a: 1, b: 2 }, expected: { sum: 3 } }, { inputs: { a: 2, b: 2 }, expected: { sum: 5 } }, { inputs: { a: 'x', b: 2 } }]); // prettier-ignore
  const run = await ended('sums');
  expect(run).toMatchObject({ state: 'succeeded', contestant: { agent: w.agent.name, skill: 'add', version: '1.0.0' }, error: null });
  expect(run.results.map(({ output, error }) => [output, error?.code])).toEqual([
    [{ sum: 3 }, undefined],
    [{ sum: 4 }, undefined],
    [null, 'invalid_input'],
  ]);
  const [right, wrong, refused] = run.results.map(({ score }) => score ?? -1);
  expect(right).toBeGreaterThan(90_000);
  expect(wrong).toBeLessThan(50_000);
  expect(refused).toBe(0);
  const [first] = run.results;
  const grant = await w.t.ctx.db('grants').where({ run_id: first?.run_id ?? '' }).first(); // prettier-ignore
  expect(grant).toMatchObject({ audience: w.agent.name, mode: 'read_only', allow_patterns: [], revoked_at: expect.any(Date) });
  expect(await w.t.ctx.db('receipts').whereIn('receipt_id', run.results.flatMap(({ receipt_id }) => receipt_id ?? []))).toHaveLength(2); // prettier-ignore
  expect(run.score).toMatchObject({ mean: Math.round(((right ?? 0) + (wrong ?? 0)) / 3) });
  await recordHistory(w.t.temporal, workflowOfTrial(run.run_id), 'trialRun.ended');

  await begun('asks', 'ask', [{ inputs: { times: 1 } }]);
  expect(await ended('asks')).toMatchObject({ state: 'succeeded', score: { mean: 0 }, results: [{ error: { code: 'asked_a_person' } }] });
});

test('a worker that is killed meanwhile costs nothing: each case is performed once', async () => {
  const before = await runs.noted('tell');
  await begun(
    'killed',
    'tell',
    Array.from({ length: 6 }, () => ({ inputs: { times: 10, everyMs: 50 }, expected: { told: 10 } })),
  );
  await vi.waitFor(async () => expect(await runs.noted('tell')).toBeGreaterThan(before), within);
  await w.killWorker();
  await w.startWorker();
  const run = await ended('killed');
  expect(run).toMatchObject({ state: 'succeeded', parts: expect.arrayContaining([{ part: 'expected', mean: 1 }]) });
  expect(await runs.noted('tell')).toBe(before + 6);
});

test('cancelled, its runs stop and what was answered keeps its score', async () => {
  const { run_id, job_id } = await begun('stopped', 'tell', [{ inputs: { times: 2, everyMs: 1 } }, { inputs: { times: 10_000, everyMs: 50 } }]);
  await vi.waitFor(async () => expect((await readRoom(w.ada, { slug: 'stopped' })).contestants[0]?.results[0]?.state).toBe('done'), within);
  await cancelJob(w.ada, { job_id: job_id ?? '' });
  const run = await ended('stopped');
  expect(run).toMatchObject({ state: 'cancelled', error: { code: 'cancelled' }, results: [{ state: 'done' }, { state: 'running' }] });
  expect(run.score?.mean).toBeGreaterThan(0);
  await runs.becomes(run.results[1]?.run_id ?? '', { state: 'cancelled' });
  await recordHistory(w.t.temporal, workflowOfTrial(run_id), 'trialRun.cancelled');
});
