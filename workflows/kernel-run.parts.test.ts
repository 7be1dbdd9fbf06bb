// Runs of simulated worlds on a real Temporal server, a real database and real workers; their agent is the
// SDK's runtime on a socket.
import { activityInfo } from '@temporalio/activity';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { createDeployActivities } from '#activities/deploy.ts';
import { createLongWorkActivities } from '#activities/long-work.ts';
import { createRunActivities } from '#activities/runs.ts';
import { KernelEvolutionIn } from '#contract/studio/kernel-evolution.ts';
import { KernelSimulationIn } from '#contract/studio/kernel-simulations.ts';
import { simulate } from '#contract/studio/simulation/run.ts';
import { templateOf } from '#contract/studio/simulation/templates.ts';
import { cancelJob } from '#core/runs/job/cancel.ts';
import { getEvolution, getSimulation } from '#core/studio/kernel/read.ts';
import { replayEvolution, replaySimulation } from '#core/studio/kernel/replay.ts';
import { workflowOfKernelRun } from '#core/studio/kernel/row.ts';
import { startEvolution, startSimulation } from '#core/studio/kernel/start.ts';
import { testContext, type TestContext, type TestUser } from '#test/support/context.ts';
import { serveGreeter, type ServingAgent } from '#test/support/greeter.ts';
import { recordHistory } from '#test/support/record-history.ts';
import { testTemporal } from '#test/support/servers.ts';
import { startTestWorkers } from '#test/support/workers.ts';

let t: TestContext;
let ada: TestUser;
let greeter: ServingAgent;
/** Set: a worker is gone, each time, after it has done a step and before anybody knows. */
let dying = false;
let stop: () => Promise<void>;
let startWorkers: () => Promise<() => Promise<void>>;
const within = { timeout: 60_000, interval: 100 };

beforeAll(async () => {
  const temporal = await testTemporal();
  t = await testContext({ temporal });
  ada = await t.user('ada');
  greeter = await serveGreeter(t.ctx, ada.actor.user_id);
  const kernel = createLongWorkActivities(t.ctx);
  const advanceKernelRun: typeof kernel.advanceKernelRun = async (jobId) => {
    const advanced = await kernel.advanceKernelRun(jobId);
    if (dying && activityInfo().attempt === 1) throw new Error('the worker died');
    return advanced;
  };
  const activities = { ...createDeployActivities({ ...t.ctx, node: 'local' }), ...createRunActivities(t.ctx), ...kernel, advanceKernelRun };
  startWorkers = () => startTestWorkers(temporal, activities);
  stop = await startWorkers();
});
afterAll(async () => {
  await stop();
  await greeter.stop();
  await t.close();
});

const simulation = (job_id: string, what: object): Promise<void> =>
  vi.waitFor(async () => expect(await getSimulation(ada, { job_id })).toMatchObject(what), within);
const evolution = (job_id: string, what: object): Promise<void> =>
  vi.waitFor(async () => expect(await getEvolution(ada, { job_id })).toMatchObject(what), within);
const history = (job_id: string, name: string): Promise<void> => recordHistory(t.temporal, workflowOfKernelRun(job_id), `kernelRun.${name}`);

test('a simulation and its replay come to the digest that the engine comes to anywhere', async () => {
  const { job_id } = await startSimulation(ada, KernelSimulationIn.parse({ template: 'adversarial-arena', seed: 11 }));
  await simulation(job_id, { state: 'succeeded', verdict: 'held' });
  const spec = templateOf('adversarial-arena')?.spec;
  if (!spec) throw new Error('no such template');
  const { digests } = await simulate({ spec, seed: 11 });
  expect((await getSimulation(ada, { job_id })).digests).toEqual(digests);
  const again = await replaySimulation(ada, { job_id });
  await simulation(again.job_id, { state: 'succeeded', digest: digests.at(-1), replay: { matches: true } });
  await history(job_id, 'ended');
});

test('a comparison whose worker dies after each step goes on at another, to the same digests', async () => {
  dying = true;
  const { job_id } = await startEvolution(ada, KernelEvolutionIn.parse({ template: 'creator-market', seed: 3, variant_count: 1, seeds: 4 }));
  await vi.waitFor(async () => expect((await getEvolution(ada, { job_id })).done).toBeGreaterThan(0), within);
  await stop();
  stop = await startWorkers();
  await evolution(job_id, { state: 'succeeded', done: 2 });
  dying = false;
  const again = await replayEvolution(ada, { job_id });
  await evolution(again.job_id, { state: 'succeeded', replay: { matches: true } });
});

test('an agent of the platform takes turns by real calls, and answers what it likes', async () => {
  const market = templateOf('creator-market')?.spec;
  const agent = { name: greeter.agent.name, skill: 'greet', args: { name: 'market' } };
  const spec = { ...market, steps: 10, actors: market?.actors.map((actor, at) => (at === 0 ? { ...actor, agent } : actor)) };
  const { job_id } = await startSimulation(ada, KernelSimulationIn.parse({ spec, execution_mode: 'hybrid', calls: 2 }));
  await simulation(job_id, {
    state: 'succeeded',
    calls: [
      { state: 'succeeded', act: null },
      { state: 'succeeded', act: null },
    ],
  });
  const { calls } = await getSimulation(ada, { job_id });
  for (const { run_id } of calls) expect(await t.ctx.db('receipts').where({ run_id })).toHaveLength(1);
  await history(job_id, 'called');
});

test('cancelled, it ends as cancelled; a broken invariant ends it as failed', async () => {
  await stop();
  const { job_id } = await startSimulation(ada, KernelSimulationIn.parse({ template: 'school' }));
  await cancelJob(ada, { job_id });
  const spec = { ...templateOf('creator-market')?.spec, invariants: [{ metric: 'solvent_permille', at_least: 950 }] };
  const broken = await startSimulation(ada, KernelSimulationIn.parse({ spec, seed: 7 }));
  stop = await startWorkers();
  await simulation(job_id, { state: 'cancelled', error: { code: 'cancelled' } });
  await simulation(broken.job_id, { state: 'failed', error: { code: 'invariant_violated' } });
  await history(job_id, 'cancelled');
});
