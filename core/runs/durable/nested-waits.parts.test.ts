// A question of an agent that was called by another one reaches the person for whom both work: real processes
// of API, worker, agent and engine. starts: test/support/durable/agent.ts starts:
// test/support/durable/worker.ts
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { listWaits } from '../../pauses/inbox/list.ts';
import { durableRuns, within } from '#test/support/durable/runs.ts';
import { durableWorld, type DurableWorld } from '#test/support/durable/world.ts';

let w: DurableWorld;
const runs = durableRuns(() => w);
beforeAll(async () => {
  w = await durableWorld();
});
afterAll(() => w.close());

interface Shown {
  run_id: string;
  job_id: string | null;
  state: string;
  waits: { wait_id: string; agent?: string; skill?: string; called_by?: string[]; prompt: string }[];
}
// Safe: the route's contract, which the API under test is strict about.
const shown = async (run_id: string): Promise<Shown> => (await runs.show(run_id)) as unknown as Shown;
const noted = (text: string): Promise<number> => runs.noted(text);

test.each([
  ['relay', 1],
  ['relay_far', 2],
])('a question behind %s waits at the root, and its answer resumes what asked, once', async (skill, between) => {
  const before = { asks: await noted('asks 1'), relays: await noted('relays'), far: await noted('relays far') };
  const response = await runs.invoke(skill, {}, { prefer: 'wait=1' });
  const body = (await response.json()) as Shown;
  expect([response.status, body]).toMatchObject([202, { state: 'waiting' }]);
  const { run_id } = body;
  await runs.becomes(run_id, { state: 'waiting' });
  const { waits } = await shown(run_id);
  expect(waits).toMatchObject([{ prompt: 'Question 1?', agent: w.agent.name, skill: 'ask', called_by: Array.from({ length: between }, () => w.agent.name) }]);
  await runs.answer(run_id, 'blue');
  const asked = { answers: ['blue'] };
  const result = between === 1 ? { relayed: asked } : { far: { relayed: asked } };
  await runs.becomes(run_id, { state: 'succeeded', result, waits: [] });
  expect(await runs.receipts(run_id)).toBe(1);
  const after = { asks: await noted('asks 1'), relays: await noted('relays'), far: await noted('relays far') };
  expect(after).toEqual({ asks: before.asks + 1, relays: before.relays + 1, far: before.far + between - 1 });
});

test('a run that was started without a caller, as by a schedule, waits in the same way; the inbox says whose question it is', async () => {
  const { run_id } = await runs.start('relay');
  await runs.becomes(run_id, { state: 'waiting' });
  const { name } = w.agent;
  const asks = { run_id: expect.any(String), agent: name, skill: 'ask', called_by: [name], title: `${name}, called by ${name}, asks` };
  expect((await listWaits(w.ada, { limit: 10 })).items).toMatchObject([asks]);
  expect((await listWaits(w.ben, { limit: 10 })).items).toEqual([]);
  await runs.answer(run_id, 'blue');
  await runs.becomes(run_id, { state: 'succeeded', result: { relayed: { answers: ['blue'] } } });
});

test('the question of a called agent is nobody else’s to read or to answer', async () => {
  const { run_id } = (await (await runs.invoke('relay', {}, { prefer: 'wait=1' })).json()) as Shown;
  await runs.becomes(run_id, { state: 'waiting' });
  const [wait] = (await shown(run_id)).waits;
  await expect(runs.show(run_id, 'ben')).rejects.toMatchObject({ status: 404 });
  const answer = w.as('ben').chat.answerQuestion({ params: { question_id: wait?.wait_id ?? '' }, body: { answer: 'mine' } });
  await expect(answer).rejects.toMatchObject({ status: 404 });
  await runs.answer(run_id, 'blue');
  await runs.becomes(run_id, { state: 'succeeded' });
});

test('cancelling the root withdraws the question, and a late answer is refused', async () => {
  const { run_id, job_id } = (await (await runs.invoke('relay_far', {}, { prefer: 'wait=1' })).json()) as Shown;
  await runs.becomes(run_id, { state: 'waiting' });
  const [wait] = (await shown(run_id)).waits;
  await runs.cancel(job_id);
  await runs.becomes(run_id, { state: 'cancelled', waits: [] });
  const stateOf = async () =>
    (
      await w.t.ctx
        .db('waits')
        .where({ wait_id: wait?.wait_id ?? '' })
        .first('state')
    )?.state;
  await vi.waitFor(async () => expect(await stateOf()).toBe('cancelled'), within);
  const late = w.as('ada').chat.answerQuestion({ params: { question_id: wait?.wait_id ?? '' }, body: { answer: 'late' } });
  await expect(late).rejects.toMatchObject({ status: 410 });
});
