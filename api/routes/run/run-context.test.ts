// The run context as running agents reach it: over HTTP, with the run credential, and with nothing else.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { clientOf, type Client } from '#contract/client.ts';
import { pathOf } from '#contract/route-table.ts';
import { locate } from '#contract/kit.ts';
import { runContext } from '#contract/run/run-context.ts';
import { routesOf } from '#contract/inventory.ts';
import { inTx } from '#core/kernel/tx.ts';
import { endRunWithoutReceipt } from '#core/runs/run/end.ts';
import { mintRunCredential } from '#core/runs/run/credential.ts';
import { liveAgent, type LiveAgent, runOf, type TestRun } from '#test/support/runs.ts';
import { addUser } from '#test/support/verbs.ts';
import { verifies } from '#test/spec/verifies.ts';
import { createWorld, type World } from '#test/api/world.ts';

let world: World;
let agent: LiveAgent;
let userId: string;

beforeAll(async () => {
  world = await createWorld();
  userId = await addUser(world.ctx.db);
  agent = await liveAgent(world.ctx, userId);
});
afterAll(() => world.close());

const tokenOf = (run: TestRun): Promise<string> => mintRunCredential(world.ctx.drivers.vault, run.actor, Date.now() + 60_000);
const as = (run: TestRun): Client<{ runContext: typeof runContext }> => clientOf({ runContext }, { baseUrl: world.url, token: () => tokenOf(run) });

test.each(routesOf({ runContext }))('$id is only for run credentials', async ({ spec }) => {
  const { method } = locate(spec);
  const names = Object.keys(spec.params?._zod.def.shape ?? {});
  const url = world.url + pathOf(spec, { params: Object.fromEntries(names.map((name) => [name, 'x'])) });
  const status = async (token?: string): Promise<number> =>
    (await fetch(url, { method, headers: token === undefined ? {} : { authorization: `Bearer ${token}` } })).status;
  const run = runOf(world.ctx, agent, userId);
  expect([await status(), await status(world.tokens.ada), await status('svc_run_e30.AAAA')]).toEqual([401, 403, 401]);
  expect(await status(`${await tokenOf(run)}x`)).toBe(401);
});

test('a question is opened once, seen only by its run, and gone with the run', async () => {
  const run = runOf(world.ctx, agent, userId);
  const body = { question_id: `qst_${randomUUID()}`, prompt: 'Which?', timeout_seconds: 60 };
  const made = await as(run).runContext.ask({ body });
  expect(made).toMatchObject({ wait_id: body.question_id, state: 'pending' });
  expect(await as(run).runContext.getWait({ params: { wait_id: body.question_id } })).toEqual(made);
  await expect(as(runOf(world.ctx, agent, userId)).runContext.getWait({ params: { wait_id: body.question_id } })).rejects.toMatchObject({ status: 404 });
  await inTx(world.ctx, (ctx) => endRunWithoutReceipt(ctx, run.actor.run_id, 'failed'));
  await expect(as(run).runContext.ask({ body })).rejects.toMatchObject({ status: 401 });
  expect(await world.ctx.db('outbox').where({ workflow_id: `wait:${body.question_id}`, kind: 'signal', name: 'withdraw' })).toHaveLength(1);
});

test.each([
  ['another account', () => addUser(world.ctx.db)],
  ['the owner', () => Promise.resolve(userId)],
  ['nobody known', () => Promise.resolve(null)],
])('what the owner is asked in a run of %s is asked of the owner', async (_who, callerOf) => {
  const caller = await callerOf();
  const run = runOf(world.ctx, agent, caller);
  const body = { question_id: `qst_${randomUUID()}`, prompt: 'Approve?', timeout_seconds: 60, of: 'owner' as const };
  expect(await as(run).runContext.ask({ body })).toMatchObject({ wait_id: body.question_id, state: 'pending' });
  const row = await world.ctx.db('waits').where({ wait_id: body.question_id }).first();
  expect(row).toMatchObject({ asked_of: userId, state: 'pending' });
  const answer = { params: { question_id: body.question_id }, body: { answer: 'approve' } };
  await expect(world.as('ben').chat.answerQuestion(answer)).rejects.toMatchObject({ status: 404 });
});

test('what is not declared is refused with its place', async () => {
  const run = as(runOf(world.ctx, agent, userId));
  await expect(run.runContext.ask({ body: { question_id: 'qst_1', prompt: '', timeout_seconds: 0 } })).rejects.toMatchObject({ status: 422 });
  expect(await run.runContext.listGrants()).toEqual([]);
  expect(await run.runContext.findAgents({ query: { limit: 5 } })).toEqual(expect.any(Array));
});

test("other routes do not take a run's credential for its user's", async () => {
  const token = await tokenOf(runOf(world.ctx, agent, userId));
  for (const path of ['/v1/agents/mine', '/v1/me/activity', '/v1/me/grants'])
    expect((await fetch(world.url + path, { headers: { authorization: `Bearer ${token}` } })).status, path).toBe(403);
});

test('the run context is not described as part of the public API', async () => {
  expect(await (await fetch(`${world.url}/openapi.json`)).text()).not.toContain('/run/v1');
});

verifies('chat.answerQuestion', 'is for whom the question was asked of; without the workflow engine the answer is kept', async () => {
  const answer = { params: { question_id: world.records.question_id ?? '' }, body: { answer: 'blue' } };
  await expect(world.as('ben').chat.answerQuestion(answer)).rejects.toMatchObject({ status: 404 });
  const row = () => world.ctx.db('waits').where({ wait_id: answer.params.question_id });
  await row().update({ expires_at: new Date(0).toISOString() });
  await expect(world.as('ada').chat.answerQuestion(answer)).rejects.toMatchObject({ status: 410 });
  await row().update({ expires_at: new Date(Date.now() + 60_000) });
  const first = await world.as('ada').chat.answerQuestion(answer);
  expect(first).toMatchObject({ state: 'answered' });
  expect(await row().first()).toMatchObject({ state: 'answered', resolution: { answer: 'blue' } });
  expect(await world.as('ada').chat.answerQuestion(answer)).toEqual(first);
  const other = world.as('ada').chat.answerQuestion({ ...answer, body: { answer: 'red' } });
  await expect(other).rejects.toMatchObject({ status: 409, detail: { code: 'wait_resolved', state: 'answered' } });
});

verifies('chat.decideScope', 'a decision that was taken is not taken again', async () => {
  const decide = { params: { approval_id: world.records.approval_id ?? '' }, body: { decision: 'approve' as const } };
  await world.ctx
    .db('waits')
    .where({ wait_id: decide.params.approval_id })
    .update({ state: 'denied', resolved_at: new Date().toISOString(), resolution: '{}' });
  await expect(world.as('ada').chat.decideScope(decide)).rejects.toMatchObject({ status: 409 });
  await expect(world.as('ben').chat.decideScope(decide)).rejects.toMatchObject({ status: 404 });
});
