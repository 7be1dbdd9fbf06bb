// The arguments of a run are shown only to users who may read its result.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { hashOf } from './hash.ts';
import { readRunInput } from './read-input.ts';
import { appendReceipt } from '../../evidence/receipt/sign.ts';
import { newId } from '../../kernel/ids.ts';
import { inTx } from '../../kernel/tx.ts';
import { testContext, type TestContext, type TestUser } from '#test/support/context.ts';
import { type LiveAgent, liveAgent } from '#test/support/runs.ts';
import { facts } from '#test/support/verbs.ts';

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

async function run(args: unknown): Promise<string> {
  const run_id = newId('run');
  const of = { agent_id: agent.id, agent_name: agent.name, deploy_id: agent.deployId, skill: 'work', caller_kind: 'user' };
  await t.ctx
    .db('runs')
    .insert({ run_id, ...of, user_id: ada.actor.user_id, args: JSON.stringify(args), input_sha256: hashOf(args) ?? null, started_at: new Date() });
  return run_id;
}

test('the user of a run reads its arguments; the owner of the agent does not', async () => {
  const run_id = await run({ name: 'Ada' });
  expect(await readRunInput(ada, { run_id })).toEqual({ run_id, args: { name: 'Ada' }, input_sha256: hashOf({ name: 'Ada' }) });
  await expect(readRunInput(ben, { run_id })).rejects.toMatchObject({ code: 'run_not_found' });
});

test('several calls at once are not the arguments of one run', async () => {
  const run_id = await run([{ skill: 'work', args: {} }]);
  expect(await readRunInput(ada, { run_id })).toMatchObject({ args: null });
});

test('of a run without a row the receipt has the hash', async () => {
  const run_id = newId('run');
  const caller = { kind: 'user', id: ada.actor.user_id, userId: ada.actor.user_id };
  await inTx(t.ctx, (ctx) => appendReceipt(ctx, facts(agent, { caller, runId: run_id })));
  expect(await readRunInput(ada, { run_id })).toEqual({ run_id, args: null, input_sha256: 'a'.repeat(64) });
  await expect(readRunInput(ben, { run_id })).rejects.toMatchObject({ code: 'run_not_found' });
});
