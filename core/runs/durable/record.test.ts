// Events of agents are recorded once, in order, for many runs at a time; a lock on one run's rows delays only
// that run.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { testContext, type TestContext, type TestUser } from '#test/support/context.ts';
import { type LiveAgent, liveAgent } from '#test/support/runs.ts';
import { appendEvent } from '../../jobs/append-event.ts';
import { inTx } from '../../kernel/tx.ts';
import { appendThreadEvent } from '../../threads/append.ts';
import { createThread } from '../../threads/create.ts';
import { recordEvents, type RecordPoint } from './record.ts';
import { recordTogether } from './record-together.ts';
import { startRun } from './start.ts';

let t: TestContext;
let ada: TestUser;
let agent: LiveAgent;
beforeAll(async () => {
  t = await testContext();
  ada = await t.user('ada');
  agent = await liveAgent(t.ctx, ada.actor.user_id);
});
afterAll(() => t.close());

interface Begun {
  run_id: string;
  job_id: string;
  threadId: string | null;
}

async function begin(threadId: string | null = null): Promise<Begun> {
  const wish = { userId: ada.actor.user_id, agent: agent.name, skill: 'work', args: {}, ...(threadId === null ? {} : { threadId }) };
  const { run_id, job_id } = await inTx(ada, (ctx) => startRun(ctx, wish));
  return { run_id, job_id, threadId };
}
const at = ({ run_id: runId, threadId }: Begun, cursor: number): RecordPoint => ({ runId, attempt: 1, cursor, threadId });
const said = (seq: number, count = 1, payload: Record<string, unknown> = {}) =>
  Array.from({ length: count }, (_, n) => ({ seq: seq + n, kind: 'progress', payload: { n: seq + n, ...payload }, size: 10 }));
const eventsOf = ({ job_id }: Begun) => t.ctx.db('job_events').where({ job_id, kind: 'run.progress' }).orderBy('seq').select('seq', 'payload');
const upTo = (n: number): number[] => Array.from({ length: n }, (_, index) => index + 1);
const thread = async () => (await createThread(ada, { title: 'T', handoffs: 'never' })).thread_id;

test('many runs at once: each has its own, without a gap; threads have all of theirs', async () => {
  const shared = await thread();
  const runs = [...(await Promise.all(Array.from({ length: 30 }, () => begin()))), await begin(shared), await begin(shared), await begin(await thread())];
  await Promise.all(
    runs.map(async (run, index) => {
      for (let seq = 1; seq <= 10; seq += 2) expect(await recordEvents(t.ctx.db, at(run, seq - 1), said(seq, 2, { index }), 5)).toBe('recorded');
    }),
  );
  for (const run of runs) {
    const rows = await eventsOf(run);
    expect(rows.map(({ payload }) => payload)).toEqual(upTo(10).map((n) => ({ n, index: runs.indexOf(run) })));
    expect(rows.map(({ seq }) => seq - (rows[0]?.seq ?? 0) + 1)).toEqual(upTo(10));
    expect(await t.ctx.db('jobs').where({ job_id: run.job_id }).first('last_seq')).toEqual({ last_seq: rows.at(-1)?.seq });
    expect(await t.ctx.db('runs').where({ run_id: run.run_id }).first('event_cursor', 'event_count', 'event_bytes', 'ran_ms')).toEqual({
      event_cursor: 10,
      event_count: 10,
      event_bytes: 100,
      ran_ms: 25,
    });
  }
  const told = await t.ctx.db('thread_events').where({ thread_id: shared }).orderBy('seq').select('seq', 'kind');
  expect(told.map(({ seq }) => seq)).toEqual(upTo(told.length));
  expect(told.filter(({ kind }) => kind === 'run.progress')).toHaveLength(20);
});

test('the same events are recorded once, from any sender: at the same moment, later, or for a run that has ended', async () => {
  const run = await begin();
  const twice = await Promise.all([recordEvents(t.ctx.db, at(run, 0), said(1), 0), recordEvents(t.ctx.db, at(run, 0), said(1), 0)]);
  expect(twice.toSorted()).toEqual(['overtaken', 'recorded']);
  expect(await recordEvents(t.ctx.db, at(run, 0), said(1), 0)).toBe('overtaken');
  expect(await recordEvents(t.ctx.db, { ...at(run, 1), attempt: 2 }, said(2), 0)).toBe('overtaken');
  await t.ctx.db('runs').where({ run_id: run.run_id }).update({ ended_at: new Date().toISOString(), state: 'succeeded' });
  expect(await recordEvents(t.ctx.db, at(run, 1), said(2), 0)).toBe('overtaken');
  expect(await eventsOf(run)).toHaveLength(1);
});

test('who holds the rows of one run, its job or its thread holds up that run alone; then it is recorded, after what they wrote', async () => {
  const [held, heldJob, heldThread, free] = [await begin(), await begin(), await begin(await thread()), await begin(await thread())];
  const [movedOn, over] = [await begin(), await begin()];
  const release = Promise.withResolvers<void>();
  const locked = Promise.withResolvers<void>();
  const holder = t.ctx.db.transaction(async (tx) => {
    await tx('runs').where({ run_id: held.run_id }).forUpdate();
    await appendEvent(tx, heldJob.job_id, 'run.progress', { n: 0 });
    await appendThreadEvent(tx, heldThread.threadId ?? '', 'noted', {});
    await tx('runs').where({ run_id: movedOn.run_id }).update({ event_cursor: 1 });
    await tx('runs').where({ run_id: over.run_id }).update({ state: 'failed', ended_at: t.ctx.db.fn.now() });
    locked.resolve();
    await release.promise;
  });
  await locked.promise;
  const ended: string[] = [];
  const waiting = [held, heldJob, heldThread, movedOn, over].map((run) =>
    recordEvents(t.ctx.db, at(run, 0), said(1), 0).then((how) => {
      ended.push(run.run_id);
      return how;
    }),
  );
  expect(await recordEvents(t.ctx.db, at(free, 0), said(1), 0)).toBe('recorded');
  expect(ended).toEqual([]);
  release.resolve();
  await holder;
  expect(await Promise.all(waiting)).toEqual(['recorded', 'recorded', 'recorded', 'overtaken', 'overtaken']);
  expect((await eventsOf(heldJob)).map(({ payload }) => payload)).toEqual([{ n: 0 }, { n: 1 }]);
  const told = await t.ctx
    .db('thread_events')
    .where({ thread_id: heldThread.threadId ?? '' })
    .orderBy('seq')
    .select('seq', 'kind');
  expect(told.map(({ seq }) => seq)).toEqual(upTo(told.length));
  expect(told.map(({ kind }) => kind).slice(-2)).toEqual(['noted', 'run.progress']);
});

test('one run whose events cannot be written does not take the others with it', async () => {
  const [good, bad] = [await begin(), await begin()];
  const news = (run: Begun, events: string) =>
    recordTogether(t.ctx.db, { run_id: run.run_id, attempt: 1, was: 0, becomes: 1, bytes: 1, ran_ms: 0, events, thread_events: '[]' });
  const spoiled = news(bad, 'no JSON');
  const outcomes = await Promise.allSettled([recordEvents(t.ctx.db, at(good, 0), said(1), 0), spoiled]);
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
  expect(await eventsOf(good)).toHaveLength(1);
  expect(await eventsOf(bad)).toEqual([]);
});

test('a run whose thread was deleted goes on', async () => {
  const run = await begin(await thread());
  await t.ctx
    .db('threads')
    .where({ thread_id: run.threadId ?? '' })
    .delete();
  expect(await recordEvents(t.ctx.db, at(run, 0), said(1), 0)).toBe('recorded');
  expect(await eventsOf(run)).toHaveLength(1);
});
