// Durable runs through everything they cross: a real Temporal, a real database, a worker and an agent in
// processes of their own, taken away at will. Each test looks at what the agent really did, at the events a
// reader gets, and at the receipts.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { recordHistory } from '#test/support/record-history.ts';
import { durableRuns, type Seen, whole, within } from '#test/support/durable/runs.ts';
import { durableWorld, type DurableWorld } from '#test/support/durable/world.ts';

let w: DurableWorld;
beforeAll(async () => void (w = await durableWorld()));
afterAll(() => w.close());

const { start, show, becomes, receipts, noted, answer, answered, follow, invoke, cancel } = durableRuns(() => w);
const keep = (run_id: string, name: string): Promise<void> => recordHistory(w.t.temporal, `run:${run_id}`, `runSkill.${name}`);
/** The run that has asked last and nobody has answered. */
const latestRun = async (): Promise<string> => {
  const found = await vi.waitFor(async () => {
    const rows = await w.t.ctx.db('waits').where({ state: 'pending', asked_of: w.ada.actor.user_id }).orderBy('created_at', 'desc');
    const row = rows.find(({ wait_id }) => !answered.has(wait_id));
    if (!row) throw new Error('nothing is asked yet');
    return row;
  }, within);
  return found.run_id ?? '';
};
const soFar = (run_id: string): Promise<{ kind: string }[]> =>
  w.t.ctx.db('job_events as e').join('jobs as j', 'j.job_id', 'e.job_id').where('j.workflow_id', `run:${run_id}`).select('e.kind');
const events = (run_id: string): Promise<Seen[]> => follow(run_id);

test('a run is started, goes on without its caller, and ends with its result and one receipt', async () => {
  const started = await start('add', { a: 2, b: 3 });
  expect(started).toMatchObject({ state: 'queued', agent: w.agent.name, skill: 'add', result: null });
  await becomes(started.run_id, { state: 'succeeded', result: { sum: 5 }, error: null, job_id: started.job_id });
  expect(await receipts(started.run_id)).toBe(1);
  const kinds = (await events(started.run_id)).map(({ kind }) => kind);
  expect(kinds).toEqual(['job.queued', 'job.running', 'run.status', 'run.result', 'job.succeeded']);
  await keep(started.run_id, 'ended');
});

test('the same key is the same run; with other arguments it is refused; somebody else has no part in it', async () => {
  const key = randomUUID();
  const both = await Promise.all([start('add', { a: 1, b: 1 }, key), start('add', { a: 1, b: 1 }, key)]);
  expect(both[0]?.run_id).toBe(both[1]?.run_id);
  await expect(start('add', { a: 1, b: 2 }, key)).rejects.toMatchObject({ status: 409, detail: { code: 'idempotency_key_reused' } });
  await expect(show(both[0]?.run_id ?? '', 'ben')).rejects.toMatchObject({ status: 404 });
  await becomes(both[0]?.run_id ?? '', { state: 'succeeded' });
  expect(await receipts(both[0]?.run_id ?? '')).toBe(1);
});

test('what cannot be called is refused before a run begins; what the agent fails with is the end of the run, in its words', async () => {
  await expect(start('add', { a: 'x', b: 1 })).rejects.toMatchObject({ status: 422, detail: { issues: [{ path: ['body', 'a'] }] } });
  await expect(start('no_such', {})).rejects.toMatchObject({ status: 404, detail: { code: 'skill_not_found' } });
  const broken = await start('fail', {});
  await becomes(broken.run_id, { state: 'failed', error: { code: 'skill_invocation_error' } });
  expect(await receipts(broken.run_id)).toBe(1);
});

test('the worker is killed in the middle of a stream: another goes on, nothing is repeated and nothing lost', async () => {
  const { run_id } = await start('tell', { times: 200, everyMs: 20 });
  let killed: Promise<void> | undefined;
  const seen = await follow(run_id, ({ seq }) => {
    if (seq === 60) killed = w.killWorker().then(() => w.startWorker());
  });
  await killed;
  whole(seen, 200);
  expect(await noted('tell')).toBe(1);
  expect(await receipts(run_id)).toBe(1);
});

test('a run asks twenty times, each answer is heard once, and nothing before an answer is done again', async () => {
  const { run_id } = await start('ask', { times: 20 });
  for (let n = 1; n <= 20; n++) await answer(run_id, `answer ${n}`);
  await becomes(run_id, { state: 'succeeded', result: { answers: Array.from({ length: 20 }, (_, n) => `answer ${n + 1}`) } });
  const seen = await events(run_id);
  whole(seen, 0);
  expect(seen.filter(({ kind }) => kind === 'wait.opened')).toHaveLength(20);
  expect(seen.filter(({ kind }) => kind === 'wait.answered')).toHaveLength(20);
  await keep(run_id, 'waited');
  for (let n = 1; n <= 20; n++) expect([await noted(`asks ${n}`), await noted(`heard ${n}`)]).toEqual([1, 1]);
  expect(await receipts(run_id)).toBe(1);
});

test('a call that waits for JSON and meets a question is answered with the run and how to answer; it ends without its caller, with one receipt', async () => {
  const response = await invoke('ask', { times: 1 }, { accept: 'application/json' });
  expect(response.status).toBe(202);
  const run = (await response.json()) as { run_id: string; waits: { answer_path: string }[] };
  expect(run).toMatchObject({ state: 'waiting', skill: 'ask', waits: [{ kind: 'question', prompt: 'Question 1?' }] });
  // It is its workflow's own from here on.
  expect(await w.t.ctx.db('open_calls').whereRaw(`call->'run'->>'run_id' = ?`, [run.run_id])).toEqual([]);
  await answer(run.run_id, 'yes');
  await becomes(run.run_id, { state: 'succeeded', result: { answers: ['yes'] } });
  whole(await events(run.run_id), 0);
  expect(await receipts(run.run_id)).toBe(1);
});

test('with Prefer: wait it gets the answer itself when a person is quick enough', async () => {
  const pending = invoke('ask', { times: 1 }, { accept: 'application/json', prefer: 'wait=60' });
  const run_id = await latestRun();
  await answer(run_id, 'quick');
  const response = await pending;
  expect([response.status, await response.json()]).toEqual([200, { answers: ['quick'] }]);
  expect(response.headers.get('x-svc-receipt-id')).toMatch(/^rcp_/);
  await becomes(run_id, { state: 'succeeded', receipt_id: response.headers.get('x-svc-receipt-id') });
  expect(await receipts(run_id)).toBe(1);
});

test('a caller of a stream stays on it, answers come through, and its receipt is the one of the run', async () => {
  const response = await invoke('ask', { times: 2 }, { accept: 'text/event-stream' });
  const run_id = await latestRun();
  const text = response.text();
  await answer(run_id, 'one');
  await answer(run_id, 'two');
  const lines = await text;
  expect(lines).toContain('"answers":["one","two"]');
  const [, receipt] = /event: receipt\ndata: .*"receipt_id":"(rcp_[^"]*)"/.exec(lines) ?? [];
  await becomes(run_id, { state: 'succeeded', receipt_id: receipt });
  expect(await receipts(run_id)).toBe(1);
});

test('a caller of a stream leaves after the question: the run goes on', async () => {
  const gone = new AbortController();
  const response = await fetch(`${w.url}/v1/agents/${w.agent.name}/api/invoke/ask`, {
    method: 'POST',
    headers: { authorization: `Bearer ${w.token('ada')}`, 'content-type': 'application/json', accept: 'text/event-stream' },
    body: JSON.stringify({ times: 1 }),
    signal: gone.signal,
  });
  expect(response.status).toBe(200);
  const text = response.text().catch(() => 'left');
  const run_id = await latestRun();
  gone.abort();
  expect(await text).toBe('left');
  await answer(run_id, 'alone');
  await becomes(run_id, { state: 'succeeded', result: { answers: ['alone'] } });
  expect(await receipts(run_id)).toBe(1);
});

test('connections to the agent break again and again, the API is restarted: two readers get every event once', async () => {
  const { run_id } = await start('tell', { times: 300, everyMs: 10 });
  let restarted: Promise<void> | undefined;
  let cuts = 0;
  const readers = [
    follow(run_id, ({ seq }) => {
      if (seq % 40 === 0) cuts += 1;
      if (seq % 40 === 0) w.cutAgent();
      if (seq === 100) restarted = w.stopApi().then(() => w.startApi());
    }),
    follow(run_id),
  ];
  const [one = [], two = []] = await Promise.all(readers);
  expect(cuts).toBe(7);
  await restarted;
  whole(one, 300);
  expect(two).toEqual(one);
  expect(await receipts(run_id)).toBe(1);
});

test('cancelled while it works: the skill sees CancelledByCaller, and the run is sealed as cancelled', async () => {
  const { run_id, job_id } = await start('obey');
  await vi.waitFor(async () => expect((await soFar(run_id)).some(({ kind }) => kind === 'run.progress')).toBe(true), within);
  await cancel(job_id);
  await becomes(run_id, { state: 'cancelled' });
  await vi.waitFor(async () => expect(await noted('stopped CancelledByCaller')).toBe(1), within);
  expect(await receipts(run_id)).toBe(1);
  await keep(run_id, 'cancelled');
});

test('cancelled while it waits: its question is withdrawn', async () => {
  const { run_id, job_id } = await start('ask', { times: 1 });
  await becomes(run_id, { state: 'waiting' });
  await cancel(job_id);
  await becomes(run_id, { state: 'cancelled', waits: [] });
  expect(await receipts(run_id)).toBe(1);
});

test('cancelled before it was asked, for its agent is away: it never runs', async () => {
  await w.killAgent();
  const before = await noted('obeys');
  const { run_id, job_id } = await start('obey');
  await cancel(job_id);
  await becomes(run_id, { state: 'cancelled' });
  await w.startAgent();
  const { run_id: next } = await start('add', { a: 1, b: 1 });
  await becomes(next, { state: 'succeeded' });
  expect(await noted('obeys')).toBe(before);
  expect(await receipts(run_id)).toBe(1);
});

test('the process of the agent is lost: what may not run twice fails and says so, what may begins anew', async () => {
  const once = await start('obey');
  const twice = await start('again');
  for (const { run_id } of [once, twice])
    await vi.waitFor(async () => expect((await soFar(run_id)).some(({ kind }) => kind === 'run.progress')).toBe(true), within);
  const obeyed = await noted('obeys');
  await w.killAgent();
  await w.startAgent();
  await becomes(once.run_id, { state: 'failed', error: { code: 'run_lost' } });
  await becomes(twice.run_id, { state: 'succeeded', result: 'done' });
  expect(await noted('obeys')).toBe(obeyed);
  const seen = await events(twice.run_id);
  expect(seen.map(({ seq }) => seq)).toEqual(seen.map((_, index) => index + 1));
  expect(seen.map(({ kind }) => kind)).toContain('job.restarted');
  for (const { run_id } of [once, twice]) expect(await receipts(run_id)).toBe(1);
  await keep(once.run_id, 'lost');
});

test('the answer comes while worker and API are away: it is taken when they are back, and the run goes on where it stood', async () => {
  const { run_id } = await start('ask', { times: 2 });
  await answer(run_id, 'before');
  await becomes(run_id, { state: 'waiting' });
  await w.killWorker();
  await w.stopApi();
  await w.startApi();
  const late = answer(run_id, 'after');
  await w.startWorker();
  await late;
  await becomes(run_id, { state: 'succeeded', result: { answers: ['before', 'after'] } });
  whole(await events(run_id), 0);
  expect(await receipts(run_id)).toBe(1);
});
