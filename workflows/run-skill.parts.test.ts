// Durable runs through everything they cross: a real Temporal, a real database, a worker and an agent in processes of their own, taken away at
// will. Each test looks at what the agent really did, at the events a reader gets, and at the receipts.
import { randomUUID } from 'node:crypto';
import { createParser } from 'eventsource-parser';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { newId } from '../core/ids.ts';
import { answerQuestion } from '../core/runs/wait/card.ts';
import { durableWorld, type DurableWorld } from '../test/support/durable/world.ts';

let w: DurableWorld;
beforeAll(async () => void (w = await durableWorld()));
afterAll(() => w.close());

interface Seen {
  seq: number;
  kind: string;
  payload: Record<string, unknown>;
}

const start = async (skill_name: string, body: Record<string, unknown> = {}, key?: string) =>
  w.as('ada').agents.startRun({ params: { name: w.agent.name, skill_name }, body, headers: key === undefined ? {} : { 'idempotency-key': key } });
const show = async (run_id: string, who: 'ada' | 'ben' = 'ada'): Promise<Record<string, unknown>> =>
  // Safe: the route's contract, which the API under test is strict about.
  (await (await w.as(who).agents.run({ params: { name: w.agent.name, run_id } })).json()) as Record<string, unknown>;
const within = { timeout: 40_000, interval: 50 };
const becomes = (run_id: string, what: object): Promise<void> => vi.waitFor(async () => expect(await show(run_id)).toMatchObject(what), within);
const receipts = async (run_id: string): Promise<number> => (await w.t.ctx.db('receipts').where({ run_id })).length;
const noted = async (text: string): Promise<number> => (await w.notes()).filter((note) => note === text).length;
const events = async (run_id: string): Promise<Seen[]> => follow(run_id);
const answer = async (run_id: string, text: string): Promise<void> => {
  const wait = await vi.waitFor(async () => {
    const { waits } = (await show(run_id)) as { waits: { wait_id: string }[] };
    expect(waits).toHaveLength(1);
    return waits[0]?.wait_id ?? '';
  }, within);
  await vi.waitFor(() => answerQuestion({ ...w.ada, requestId: newId('req') }, { question_id: wait, answer: text }), within);
};

/** To the end, however often the connection has to be made. */
async function follow(run_id: string, onEvent: (event: Seen) => void = () => undefined): Promise<Seen[]> {
  const seen: Seen[] = [];
  for (;;) {
    try {
      const response = await fetch(`${w.url}/v1/agents/${w.agent.name}/api/runs/${run_id}`, {
        headers: { authorization: `Bearer ${w.token('ada')}`, accept: 'text/event-stream', 'last-event-id': String(seen.at(-1)?.seq ?? 0) },
      });
      if (!response.ok || !response.body) throw new Error(`answered ${response.status}`);
      const parser = createParser({
        onEvent: ({ id, data }) => {
          const event = JSON.parse(data) as Seen;
          expect(String(event.seq)).toBe(id);
          seen.push(event);
          onEvent(event);
        },
      });
      const decoder = new TextDecoder();
      for await (const chunk of response.body) parser.feed(decoder.decode(chunk, { stream: true }));
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    if (/^job\.(succeeded|failed|cancelled)$/.test(seen.at(-1)?.kind ?? '')) return seen;
  }
}

/** Numbers without gap or double, and the agent's progress each once. */
function whole(seen: readonly Seen[], progress: number): void {
  expect(seen.map(({ seq }) => seq)).toEqual(seen.map((_, index) => index + 1));
  const told = seen.filter(({ kind }) => kind === 'run.progress').map(({ payload }) => Number(payload['message']));
  expect(told).toEqual(Array.from({ length: progress }, (_, index) => index + 1));
}

test('a run is started, goes on without its caller, and ends with its result and one receipt', async () => {
  const started = await start('add', { a: 2, b: 3 });
  expect(started).toMatchObject({ state: 'queued', agent: w.agent.name, skill: 'add', result: null });
  await becomes(started.run_id, { state: 'succeeded', result: { sum: 5 }, error: null, job_id: started.job_id });
  expect(await receipts(started.run_id)).toBe(1);
  const kinds = (await events(started.run_id)).map(({ kind }) => kind);
  expect(kinds).toEqual(['job.queued', 'job.running', 'run.status', 'run.result', 'job.succeeded']);
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

test('what the agent refuses or fails with is the end of the run, in its words', async () => {
  const wrong = await start('add', { a: 'x', b: 1 });
  await becomes(wrong.run_id, { state: 'failed', error: { code: 'skill_input_error' } });
  const absent = await start('no_such', {});
  await becomes(absent.run_id, { state: 'failed', error: { code: 'skill_not_found' } });
  const broken = await start('fail', {});
  await becomes(broken.run_id, { state: 'failed', error: { code: 'skill_invocation_error' } });
  for (const { run_id } of [wrong, absent, broken]) expect(await receipts(run_id)).toBe(1);
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
