// Runs whose story is too long for one life of their workflow, at a server that says so early.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { durableRuns, whole, within } from '#test/support/durable/runs.ts';
import { durableWorld, type DurableWorld } from '#test/support/durable/world.ts';
import { temporalServer } from '#test/support/keeper-temporal.ts';
import { recordHistory } from '#test/support/record-history.ts';
import { testDatabase } from '#test/support/servers.ts';

/** Events of a history, instead of four thousand. */
const LONG = 120;
let dir: string;
let server: ReturnType<typeof temporalServer>;
let w: DurableWorld;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'svc-long-'));
  server = temporalServer(dir, { 'limit.historyCount.suggestContinueAsNew': LONG });
  w = await durableWorld({ temporal: await server.address(), databaseUrl: (await testDatabase()).url });
});
afterAll(async () => {
  await w.close();
  await server.stop();
  await rm(dir, { recursive: true, force: true });
});

const { start, becomes, receipts, noted, answer, follow, cancel } = durableRuns(() => w);

interface Life {
  id: string;
  events: number;
  state: string;
}

/** The executions of a run's workflow, oldest first. */
async function livesOf(run_id: string): Promise<Life[]> {
  const lives: Life[] = [];
  for await (const one of w.t.temporal.workflow.list({ query: `WorkflowId = 'run:${run_id}'` }))
    lives.push({ id: one.runId, events: one.historyLength ?? 0, state: one.status.name });
  return lives.toReversed();
}

/** Nobody drives it: it waits at the server alone. */
const left = (run_id: string): Promise<void> =>
  vi.waitFor(async () => {
    const { raw } = await w.t.temporal.workflow.getHandle(`run:${run_id}`).describe();
    expect(raw.pendingActivities ?? []).toEqual([]);
  }, within);

test('a run asks a hundred times, one after the other: each is heard once, each event told once, over several lives of its workflow', async () => {
  const { run_id } = await start('ask', { times: 100 });
  const following = follow(run_id);
  for (let n = 1; n <= 100; n += 1) {
    // Some come quickly, some when nobody has touched the run.
    if (n % 10 === 0) {
      await becomes(run_id, { state: 'waiting' });
      await left(run_id);
    }
    await answer(run_id, `answer ${n}`);
  }
  await becomes(run_id, { state: 'succeeded', result: { answers: Array.from({ length: 100 }, (_, n) => `answer ${n + 1}`) } });
  const seen = await following;
  whole(seen, 0);
  const of = (kind: string): unknown[] => seen.filter((event) => event.kind === kind).map(({ payload }) => payload['wait_id'] ?? payload['question_id']);
  for (const kind of ['wait.opened', 'wait.answered']) expect([of(kind).length, new Set(of(kind)).size], kind).toEqual([100, 100]);
  expect(seen.filter(({ kind }) => kind === 'run.question')).toHaveLength(100);
  const notes = await w.notes();
  expect(notes.filter((note) => /^(?:asks|heard)/.test(note))).toEqual(Array.from({ length: 100 }, (_, n) => [`asks ${n + 1}`, `heard ${n + 1}`]).flat());
  expect(await receipts(run_id)).toBe(1);
  const lives = await vi.waitFor(async () => {
    const all = await livesOf(run_id);
    expect(all.at(-1)?.state).toBe('COMPLETED');
    return all;
  }, within);
  expect(lives.length).toBeGreaterThan(2);
  expect(lives.slice(0, -1).every(({ state }) => state === 'CONTINUED_AS_NEW')).toBe(true);
  // What comes while a life ends is told to it first: it may grow a little beyond.
  for (const { events } of lives) expect(events).toBeLessThan(LONG * 2);
  await recordHistory(w.t.temporal, `run:${run_id}`, 'runSkill.continued', lives[0]?.id);
});

/**
 * As many children's ends as make a life long. While one life ends the server takes nothing: then it is told
 * again, as the outbox does.
 */
async function tellMuch(run_id: string): Promise<void> {
  const workflow = w.t.temporal.workflow.getHandle(`run:${run_id}`);
  for (let n = 0; n < LONG; n += 1) await vi.waitFor(() => workflow.signal('childEnded', { job_id: `job_${n}`, state: 'succeeded' }), within);
}

test('much is told to a run while it works: its next life goes on with the stream where the last one was, and hears its cancellation', async () => {
  const { run_id, job_id } = await start('tell', { times: 800, everyMs: 20 });
  const seen: number[] = [];
  const following = follow(run_id, ({ seq }) => seen.push(seq));
  await vi.waitFor(() => expect(seen.length).toBeGreaterThan(20), within);
  await tellMuch(run_id);
  await vi.waitFor(async () => expect((await livesOf(run_id)).length).toBeGreaterThan(1), within);
  whole(await following, 800);
  await becomes(run_id, { state: 'succeeded', result: { told: 800 }, job_id });
  expect([await noted('tell'), await receipts(run_id)]).toEqual([1, 1]);

  const other = await start('obey');
  await vi.waitFor(async () => expect(await noted('obeys')).toBe(1), within);
  await tellMuch(other.run_id);
  await vi.waitFor(async () => expect((await livesOf(other.run_id)).length).toBeGreaterThan(1), within);
  await cancel(other.job_id);
  await becomes(other.run_id, { state: 'cancelled' });
  await vi.waitFor(async () => expect(await noted('stopped CancelledByCaller')).toBe(1), within);
  expect(await receipts(other.run_id)).toBe(1);
});
