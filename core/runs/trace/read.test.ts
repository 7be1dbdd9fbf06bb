// What a trace says of runs that ended in other ways than well: nothing is missing, and nothing goes on for
// ever.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { GEN_AI, SVC } from '#contract/wire/trace-conventions.ts';
import { spanOf } from '#drivers/traces/conformance.ts';
import { testContext, type TestContext, type TestUser } from '#test/support/context.ts';
import { type LiveAgent, liveAgent, runOf, type TestRun } from '#test/support/runs.ts';
import { ensureRun } from '../../kernel/ensure-run.ts';
import { newId } from '../../kernel/ids.ts';
import { spanIdOf } from '../../kernel/trace.ts';
import { inTx } from '../../kernel/tx.ts';
import { MAX_STORED } from './collect.ts';
import { readTrace } from './read.ts';

let t: TestContext;
let ada: TestUser;
let ben: TestUser;
let agent: LiveAgent;
beforeAll(async () => {
  t = await testContext();
  [ada, ben] = [await t.user('ada'), await t.user('ben')];
  agent = await liveAgent(t.ctx, ben.actor.user_id);
});
afterAll(() => t.close());

const at = (ms: number): Date => new Date(Date.UTC(2026, 10, 25) + ms);
const ns = (ms: number): string => `${at(ms).getTime()}000000`;

async function begun(more: Parameters<typeof runOf>[3] = {}): Promise<TestRun> {
  const run = runOf(t.ctx, agent, ada.actor.user_id, { started_at: at(0).getTime(), ...more });
  await inTx(run, (ctx) => ensureRun(ctx));
  return run;
}
const wait = (run: TestRun, row: object) =>
  t.ctx.db('waits').insert({
    wait_id: newId('wait'),
    kind: 'question',
    run_id: run.actor.run_id,
    asked_of: ada.actor.user_id,
    prompt: 'Which?',
    request: '{}',
    expires_at: at(90_000),
    created_at: at(1_000),
    ...row,
  });
const use = (run: TestRun, row: object) =>
  t.ctx.db('llm_usage').insert({
    usage_id: newId('llu'),
    user_id: ada.actor.user_id,
    credential_id: 'llc_1',
    credential: 'main',
    provider: 'openai',
    model: 'm-1',
    purpose: 'chat',
    run_id: run.actor.run_id,
    day: '2026-11-25',
    started_at: at(2_000),
    ...row,
  });

test('what was under way when a run was killed ends with the run', async () => {
  const run = await begun();
  await wait(run, {});
  await use(run, { input_tokens: 9 });
  await t.ctx
    .db('runs')
    .where({ run_id: run.actor.run_id })
    .update({ state: 'failed', ended_at: at(5_000) });
  const { spans } = await readTrace(ada, { run_id: run.actor.run_id });
  expect(spans.map(({ name, end_ns }) => [name, end_ns])).toEqual([
    [`invoke_agent ${agent.name}`, ns(5_000)],
    ['wait question', ns(5_000)],
    ['chat m-1', ns(5_000)],
  ]);
  expect(spans[0]).toMatchObject({ status: 'error', message: 'failed', attributes: { [SVC.runState]: 'failed', 'error.type': 'failed' } });
});

test('what goes on has no end; an expired question ended when its time was up', async () => {
  const run = await begun();
  await wait(run, { state: 'expired', expires_at: at(3_000), resolved_at: at(3_000) });
  await wait(run, { created_at: at(4_000) });
  const { spans } = await readTrace(ada, { run_id: run.actor.run_id });
  expect(spans.map(({ end_ns }) => end_ns)).toEqual([null, ns(3_000), null]);
});

test('a run that began anew says so, with the reasons', async () => {
  const run = await begun();
  const job_id = newId('job');
  await t.ctx.db('jobs').insert({ job_id, kind: 'run', state: 'running', title: 'x', owner_id: ada.actor.user_id });
  await t.ctx.db('job_events').insert({ job_id, seq: 1, kind: 'job.restarted', payload: JSON.stringify({ attempt: 2, reason: 'its process ended' }) });
  await t.ctx.db('runs').where({ run_id: run.actor.run_id }).update({ attempt: 2, job_id, kind: 'started' });
  const { spans } = await readTrace(ada, { run_id: run.actor.run_id });
  expect(spans[0]).toMatchObject({ attributes: { [SVC.attempts]: 2 }, events: [{ name: 'svc.run.restarted', attributes: { reason: 'its process ended' } }] });
});

test('tokens and cost are counted of what the reader paid; what has no price makes the sum unknown', async () => {
  const run = await begun();
  await use(run, { state: 'ok', input_tokens: 100, output_tokens: 20, cost_micros: 70, ended_at: at(3_000) });
  await use(run, { state: 'ok', user_id: ben.actor.user_id, input_tokens: 1_000, output_tokens: 1, cost_micros: 9_000, ended_at: at(3_000) });
  const read = await readTrace(ada, { run_id: run.actor.run_id });
  expect(read.usage).toEqual({ input_tokens: 100, output_tokens: 20, cost_micros: 70 });
  expect(JSON.stringify(read)).not.toContain('9000');
  await use(run, { state: 'ok', input_tokens: 1, output_tokens: 1, ended_at: at(3_000) });
  expect((await readTrace(ada, { run_id: run.actor.run_id })).usage).toEqual({ input_tokens: 101, output_tokens: 21, cost_micros: null });
});

test('a use of a model hangs on the span of the agent that asked, where that came', async () => {
  const run = await begun();
  const tool = 'e'.repeat(16);
  await use(run, { parent_span_id: tool });
  const parent = async () => (await readTrace(ada, { run_id: run.actor.run_id })).spans.find(({ attributes }) => attributes[GEN_AI.requestModel])?.parent_id;
  expect(await parent()).toBe(spanIdOf(run.actor.run_id));
  t.ctx.drivers.traces.add([spanOf({ run_id: run.actor.run_id, span_id: tool, parent_id: spanIdOf(run.actor.run_id) })]);
  await t.ctx.drivers.traces.flush();
  expect(await parent()).toBe(tool);
});

test('the trace of a called run is what it did; the whole one is at the run that began', async () => {
  const outer = await begun();
  const inner = await begun({ parent_run_id: outer.actor.run_id, root_run_id: outer.actor.run_id, started_at: at(10).getTime() });
  const [whole, part] = [await readTrace(ada, { run_id: outer.actor.run_id }), await readTrace(ada, { run_id: inner.actor.run_id })];
  expect(whole.spans.map(({ run_id }) => run_id)).toEqual([outer.actor.run_id, inner.actor.run_id]);
  expect(part).toMatchObject({ trace_id: whole.trace_id, root_run_id: outer.actor.run_id, remote_parent_id: spanIdOf(outer.actor.run_id) });
  expect(part.spans).toMatchObject([{ run_id: inner.actor.run_id, parent_id: null }]);
});

test('a trace with more than is shown says so', async () => {
  const run = await begun();
  await t.ctx.db.raw(
    `insert into spans select now(), :run, repeat('a', 32), lpad(to_hex(n), 16, '0'), null, 'usr', 'painter', 'agent', 'n', 'internal', n, n, 'ok', null, '{}', '[]'
     from generate_series(1, ${MAX_STORED + 1}) n`,
    { run: run.actor.run_id },
  );
  const read = await readTrace(ada, { run_id: run.actor.run_id });
  expect(read.truncated).toBe(true);
  expect(read.spans).toHaveLength(MAX_STORED + 1);
});

test('others do not read it, the owner of the agent among them', async () => {
  const run = await begun();
  await expect(readTrace(ben, { run_id: run.actor.run_id })).rejects.toMatchObject({ code: 'run_not_found' });
  await expect(readTrace(ada, { run_id: run.actor.run_id, name: 'another' })).rejects.toMatchObject({ code: 'run_not_found' });
  await expect(readTrace(ada, { run_id: newId('run') })).rejects.toMatchObject({ code: 'run_not_found' });
});
