// Conversations and plans through everything they cross: a real Temporal, a real database, a worker and an
// agent in processes of their own.
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { AgentCard } from '#contract/wire/card.ts';
import { BELIEVED_MS } from '#core/accounts/control.ts';
import { newId } from '#core/kernel/ids.ts';
import type { ChatMessageIn } from '#core/conversation/chat/begin.ts';
import { presentTurn, type Turn } from '#core/conversation/chat/present.ts';
import { followMessage, sendMessage } from '#core/conversation/chat/send.ts';
import { cancelJob } from '#core/runs/job/cancel.ts';
import { getPlan, listPlans } from '#core/conversation/plan/read.ts';
import { workflowOfPlan } from '#core/conversation/plan/model.ts';
import { readThreadEvents } from '#core/threads/read.ts';
import { listMessages } from '#core/threads/read.ts';
import { answerQuestion } from '#core/pauses/decision/card.ts';
import { verifies } from '#test/spec/verifies.ts';
import type { TestUser } from '#test/support/context.ts';
import { durableWorld, type DurableWorld } from '#test/support/durable/world.ts';
import { limitRuns } from '#test/support/limit-runs.ts';
import { recordHistory } from '#test/support/record-history.ts';

let w: DurableWorld;
let name = '';
const object = (properties: Record<string, unknown>, required = Object.keys(properties)): object => ({ type: 'object', properties, required });
const number = { type: 'number' };

beforeAll(async () => {
  w = await durableWorld();
  ({ name } = w.agent);
  const skills = {
    add: object({ a: number, b: number }),
    fail: object({}),
    tell: object({ times: number, everyMs: number }),
    ask: object({ times: number }),
  };
  const card = {
    name,
    description: 'Sums and stories',
    version: '1.0.0',
    skills: Object.entries(skills).map(([id, input_schema]) => ({ id, name: id, description: `${id} things`, input_schema, output_schema: {} })),
  };
  const text = JSON.stringify(AgentCard.parse(card));
  await w.t.ctx
    .db('agents')
    .where({ name })
    .update({ card: text, search_text: `${name} sums stories add tell ask` });
  await w.t.ctx.db('deployments').where({ deploy_id: w.agent.deployId }).update({ card: text });
});
afterAll(() => w.close());

const within = { timeout: 30_000, interval: 50 };
const anew = (user: TestUser): TestUser => ({ ...user, requestId: newId('req') });
const say = (message: string, more: Partial<ChatMessageIn> & { waitSeconds?: number } = {}): Promise<Turn> =>
  sendMessage(anew(w.ada), { message, model: true, waitSeconds: 30, signal: AbortSignal.timeout(60_000), ...more });
const turn = async (id: string): Promise<Turn> => {
  const shown = await presentTurn(w.ada, id);
  if (!shown) throw new Error('no such turn');
  return shown;
};
const becomes = (id: string, what: object): Promise<void> => vi.waitFor(async () => expect(await turn(id)).toMatchObject(what), within);
const kinds = async (thread_id: string): Promise<string[]> => (await readThreadEvents(w.t.ctx.db, thread_id, 0, 10_000)).map(({ kind }) => kind);
const gapless = async (thread_id: string): Promise<void> => {
  const seqs = (await readThreadEvents(w.t.ctx.db, thread_id, 0, 10_000)).map(({ seq }) => seq);
  expect(seqs).toEqual(seqs.map((_, at) => at + 1));
};
const answer = (question_id: string, text: string): Promise<unknown> => vi.waitFor(() => answerQuestion(anew(w.ada), { question_id, answer: text }), within);

verifies('chat.send', 'an explicit call answers with its result; the thread has what was said, and the call one receipt', async () => {
  const done = await say(`@${name}.add {"a": 2, "b": 3}`);
  expect(done).toMatchObject({ state: 'succeeded', reading: 'call', text: JSON.stringify({ sum: 5 }, null, 2), waits: [], dag_run_id: null, error: null });
  expect(done.runs).toMatchObject([{ agent: name, skill: 'add', state: 'succeeded', result: { sum: 5 } }]);
  expect(await w.t.ctx.db('receipts').where({ run_id: done.runs[0]?.run_id ?? '' })).toHaveLength(1);
  expect(await kinds(done.thread_id)).toEqual(['message', 'turn.started', 'run.started', 'run.succeeded', 'message', 'turn.ended']);
  const { items } = await listMessages(w.ada, { thread_id: done.thread_id, limit: 10 });
  expect(items.map(({ role }) => role)).toEqual(['assistant', 'user']);
  const failed = await say(`@${name}.fail {}`, { thread_id: done.thread_id });
  expect(failed).toMatchObject({ state: 'failed', error: { code: 'skill_invocation_error' } });
});

verifies('chat.send', 'a stream carries the events of the turn to its last', async () => {
  const seen = [];
  for await (const event of await followMessage(anew(w.ada), {
    message: `@${name}.tell {"times": 3, "everyMs": 1}`,
    model: true,
    signal: AbortSignal.timeout(30_000),
  })) {
    seen.push(event);
  }
  expect(seen.map(({ seq }) => seq)).toEqual(seen.map((_, at) => at + 1));
  const progress = seen.filter(({ kind }) => kind === 'run.progress');
  expect(progress.map(({ payload }) => payload['message'])).toEqual(['1', '2', '3']);
  expect(progress[0]?.payload['run_id']).toMatch(/^run_/);
  expect(seen.at(-1)).toMatchObject({ kind: 'turn.ended', payload: { state: 'succeeded' } });
});

verifies('chat.answerQuestion', 'a turn that meets a question waits with its card, and goes on with the answer', async () => {
  const waiting = await say(`@${name}.ask {"times": 2}`);
  expect(waiting).toMatchObject({ state: 'waiting', waits: [{ kind: 'question', prompt: 'Question 1?', agent: name, skill: 'ask', title: `${name} asks` }] });
  expect(waiting.waits[0]?.answer_path).toBe(`/v1/me/chat/questions/${waiting.waits[0]?.wait_id}`);
  await answer(waiting.waits[0]?.wait_id ?? '', 'one');
  await becomes(waiting.turn_id, { state: 'waiting', waits: [{ prompt: 'Question 2?' }] });
  await answer((await turn(waiting.turn_id)).waits[0]?.wait_id ?? '', 'two');
  await becomes(waiting.turn_id, { state: 'succeeded', runs: [{ result: { answers: ['one', 'two'] } }] });
  expect((await kinds(waiting.thread_id)).filter((kind) => kind.startsWith('wait.'))).toEqual(['wait.opened', 'wait.answered', 'wait.opened', 'wait.answered']);
  await gapless(waiting.thread_id);
});

verifies('dagRuns.get', 'a plan hands results on, runs what does not wait side by side, and is kept as it went', async () => {
  const done = await say(
    `@${name}.add {"a": 1, "b": 2}\n@${name}.add {"a": 10, "b": 20}\n@${name}.add {"a": "$1.result.sum", "b": "$2.result.sum"} then @${name}.add {"a": "$3.result.sum", "b": 1}`,
  );
  expect(done).toMatchObject({ state: 'succeeded', reading: 'plan', text: JSON.stringify({ sum: 34 }, null, 2) });
  const plan = await getPlan(w.ada, { dag_run_id: done.dag_run_id ?? '' });
  expect(plan).toMatchObject({ state: 'succeeded', planner: 'steps', nodes_total: 4, nodes_ended: 4, thread_id: done.thread_id });
  expect(plan.nodes.map(({ depends_on, result }) => [depends_on, result])).toEqual([
    [[], { sum: 3 }],
    [[], { sum: 30 }],
    [[1, 2], { sum: 33 }],
    [[3], { sum: 34 }],
  ]);
  for (const node of plan.nodes) expect(node.receipt_id).toMatch(/^rcp_/);
  const [first, second, third] = plan.nodes;
  expect(String(second?.started_at) < String(first?.ended_at)).toBe(true);
  expect(String(third?.started_at) >= String(first?.ended_at)).toBe(true);
  expect((await listPlans(w.ada, { limit: 1 })).items).toMatchObject([{ dag_run_id: plan.dag_run_id, state: 'succeeded' }]);
  await expect(getPlan(w.ben, { dag_run_id: plan.dag_run_id })).rejects.toMatchObject({ code: 'dag_run_not_found' });
  await gapless(done.thread_id);
  await recordHistory(w.t.temporal, workflowOfPlan(plan.dag_run_id), 'dagRun.ended');
});

test('a plan stops where a step fails: what followed is skipped', async () => {
  const done = await say(`@${name}.fail {} then @${name}.add {"a": 1, "b": 2}`);
  expect(done).toMatchObject({ state: 'failed', error: { code: 'step_failed' } });
  const plan = await getPlan(w.ada, { dag_run_id: done.dag_run_id ?? '' });
  expect(plan.nodes.map(({ state }) => state)).toEqual(['failed', 'skipped']);
  const missing = await say(`@${name}.add {"a": 1, "b": 2} then @${name}.add {"a": "$1.result.nothing", "b": 2}`);
  expect((await getPlan(w.ada, { dag_run_id: missing.dag_run_id ?? '' })).nodes[1]).toMatchObject({ state: 'failed', error: { code: 'reference_missing' } });
  await recordHistory(w.t.temporal, workflowOfPlan(plan.dag_run_id), 'dagRun.failed');
});

test('a plan whose account has as many runs under way as it may waits, also where none of its own steps runs, and goes on when there is room', async () => {
  await limitRuns(w.ben, w.ada, 0);
  // The worker believes for so long that there is no limit.
  await delay(BELIEVED_MS);
  const begun = await say(`@${name}.add {"a": 1, "b": 2} then @${name}.add {"a": "$1.result.sum", "b": 4}`, { waitSeconds: 0 });
  await vi.waitFor(async () => expect(await kinds(begun.thread_id)).toContain('plan.waits_for_room'), within);
  expect((await getPlan(w.ada, { dag_run_id: begun.dag_run_id ?? '' })).nodes.map(({ state }) => state)).toEqual(['pending', 'pending']);
  await limitRuns(w.ben, w.ada, null);
  await becomes(begun.turn_id, { state: 'succeeded', text: JSON.stringify({ sum: 7 }, null, 2) });
  await recordHistory(w.t.temporal, workflowOfPlan(begun.dag_run_id ?? ''), 'dagRun.waited-for-room');
});

verifies('workLedger.cancel', 'a plan that waits is cancelled with all of its runs, and its turn says so', async () => {
  const waiting = await say(`@${name}.ask {"times": 1}\n@${name}.ask {"times": 1} then @${name}.add {"a": 1, "b": 2}`);
  expect(waiting).toMatchObject({ state: 'waiting' });
  await becomes(waiting.turn_id, { waits: [{}, {}] });
  await cancelJob(anew(w.ada), { job_id: waiting.job_id ?? '' });
  await becomes(waiting.turn_id, { state: 'cancelled', waits: [] });
  const plan = await getPlan(w.ada, { dag_run_id: waiting.dag_run_id ?? '' });
  expect([plan.state, plan.nodes.map(({ state }) => state)]).toEqual(['cancelled', ['cancelled', 'cancelled', 'cancelled']]);
  const jobs = await w.t.ctx.db('jobs').where({ parent_job_id: waiting.job_id });
  expect(jobs.map(({ state }) => state)).toEqual(['cancelled', 'cancelled']);
  await recordHistory(w.t.temporal, workflowOfPlan(plan.dag_run_id), 'dagRun.cancelled');
});

test('the worker is killed in the middle of a plan: another goes on, and no step is run twice', async () => {
  const begun = await say(`@${name}.tell {"times": 30, "everyMs": 50} then @${name}.add {"a": 4, "b": 5}`, { waitSeconds: 0 });
  await vi.waitFor(async () => expect((await kinds(begun.thread_id)).filter((kind) => kind === 'run.progress').length).toBeGreaterThan(3), within);
  await w.killWorker();
  await w.startWorker();
  await becomes(begun.turn_id, { state: 'succeeded', text: JSON.stringify({ sum: 9 }, null, 2) });
  const events = await readThreadEvents(w.t.ctx.db, begun.thread_id, 0, 1000);
  expect(events.filter(({ kind }) => kind === 'run.progress')).toHaveLength(30);
  expect(events.filter(({ kind }) => kind === 'run.started')).toHaveLength(2);
  await gapless(begun.thread_id);
});

test('two messages at once in one thread are two turns; one sent twice at once is one', async () => {
  const { thread_id } = await say(`@${name}.add {"a": 0, "b": 0}`);
  const turns = await Promise.all([1, 2, 3, 4].map((n) => say(`@${name}.add {"a": ${n}, "b": 0}`, { thread_id })));
  expect(new Set(turns.map(({ turn_id }) => turn_id)).size).toBe(4);
  for (const [at, one] of turns.entries()) expect(one).toMatchObject({ state: 'succeeded', runs: [{ result: { sum: at + 1 } }] });
  await gapless(thread_id);
  const twice = await Promise.all(Array.from({ length: 5 }, () => say(`@${name}.add {"a": 7, "b": 7}`, { key: 'once' })));
  expect(new Set(twice.map(({ turn_id }) => turn_id)).size).toBe(1);
  expect(new Set(twice.map(({ thread_id: id }) => id)).size).toBe(1);
  await expect(say(`@${name}.add {"a": 8, "b": 7}`, { key: 'once' })).rejects.toMatchObject({ code: 'idempotency_key_reused' });
  await expect(sendMessage(w.ben, { message: 'hello', thread_id, model: true, waitSeconds: 0, signal: AbortSignal.timeout(1000) })).rejects.toMatchObject({
    code: 'thread_not_found',
  });
});
