// One account's hundred slow trials, on a real Temporal server and a real database: answers of others are
// written, and their trials begin, while all of them hang. Only what a model would do is scripted.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { createDeployActivities } from '#activities/deploy.ts';
import { createWaitActivities } from '#activities/waits.ts';
import { askPerson } from '#core/pauses/wait/ask.ts';
import { resolveWait } from '#core/pauses/decision/resolve.ts';
import { testContext, type TestContext, type TestUser } from '#test/support/context.ts';
import { type LiveAgent, listenAs, liveAgent, type Machine, runOf } from '#test/support/runs.ts';
import { testTemporal } from '#test/support/servers.ts';
import { startTestWorkers } from '#test/support/workers.ts';
import { heldTrials } from './held-trials.ts';

const SLOW = 100;
const trials = heldTrials();
const within = { timeout: 60_000, interval: 50 };
let t: TestContext;
let ada: TestUser;
let agent: LiveAgent;
let machine: Machine;
let stopWorkers: () => Promise<void>;

beforeAll(async () => {
  const temporal = await testTemporal();
  t = await testContext({ temporal });
  ada = await t.user('ada');
  agent = await liveAgent(t.ctx, ada.actor.user_id);
  machine = await listenAs(t.ctx, agent);
  const activities = { ...createDeployActivities({ ...t.ctx, node: 'local' }), ...createWaitActivities(t.ctx), ...trials.activities };
  stopWorkers = await startTestWorkers(temporal, activities);
});
afterAll(async () => {
  trials.release();
  await stopWorkers();
  await machine.close();
  await t.close();
});

test('while a hundred trials of one account hang, answers of others are written and their trials begin', async () => {
  await Promise.all(Array.from({ length: SLOW }, () => trials.start(t.ctx, 'usr_slow')));
  await vi.waitFor(() => expect(trials.begun('usr_slow')).toHaveLength(20), within);

  // A deadline that passes is the engine's own work from its timer to the row; an answer goes through the API
  // first.
  const expired = `qst_${randomUUID()}`;
  const answered = `qst_${randomUUID()}`;
  const run = runOf(t.ctx, agent, ada.actor.user_id);
  await askPerson(run, { question_id: expired, prompt: 'Which colour?', timeout_seconds: 1 });
  await askPerson(run, { question_id: answered, prompt: 'Which colour?', timeout_seconds: 600 });
  await resolveWait(ada, { waitId: answered, kind: 'question', decision: { decision: 'answered', answer: 'blue' } });
  const stateOf = async (wait_id: string) => (await t.ctx.db('waits').where({ wait_id }).first('state'))?.state;
  await vi.waitFor(async () => expect([await stateOf(expired), await stateOf(answered)]).toEqual(['expired', 'answered']), within);
  await vi.waitFor(async () => expect(await t.ctx.drivers.workflows.describe(`wait:${answered}`)).toBe('completed'), within);

  await trials.start(t.ctx, 'usr_other');
  await vi.waitFor(() => expect(trials.begun('usr_other')).toHaveLength(1), within);

  // All of it while none of the hundred has come further.
  expect(trials.ended()).toBe(0);
  expect(trials.begun('usr_slow')).toHaveLength(20);
});

test('a hundred outcomes for an agent that takes none hold up no other one', async () => {
  const eve = await t.user('eve');
  const deaf = await liveAgent(t.ctx, eve.actor.user_id);
  const its = await listenAs(t.ctx, deaf);
  its.hangs = true;
  const ids = Array.from({ length: SLOW }, () => `qst_${randomUUID()}`);
  await Promise.all(ids.map((question_id) => askPerson(runOf(t.ctx, deaf, eve.actor.user_id), { question_id, prompt: 'Which?', timeout_seconds: 1 })));
  await vi.waitFor(async () => expect(await t.ctx.db('waits').whereIn('wait_id', ids).where({ state: 'expired' })).toHaveLength(SLOW), within);
  // What writes rows has not waited for the agent: of the hundred only its account's share is on the way.
  await vi.waitFor(() => expect(its.told.length).toBeGreaterThan(0), within);
  expect(its.told.length).toBeLessThanOrEqual(20);
  await its.close();
});
