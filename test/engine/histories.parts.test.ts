// How long histories grow. The events of one look are counted on a real Temporal server, with looks that
// follow each other at once; how many looks a life has follows from the constants that the workflows use
// themselves.
import { fileURLToPath } from 'node:url';
import { randomUUID } from 'node:crypto';
import { bundleWorkflowCode, NativeConnection, Worker } from '@temporalio/worker';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { PROOF_DEADLINE_SECONDS } from '#contract/quality/agent-proofs.ts';
import { STUDIO_SECONDS } from '#contract/studio/studio-brief.ts';
import { pauseOfProof } from '#core/quality/proof/advance.ts';
import { testContext, type TestContext } from '#test/support/context.ts';
import { testTemporal } from '#test/support/servers.ts';
import { PACES, type Pace, pauseAfter } from '#workflows/pace.ts';
import { STOPPING_LOOKS } from '#workflows/purge-accounts.ts';
import { BUSY_FOR_MS, SECRET_WITHIN_MS } from '#workflows/self-heal.ts';

const MOST_EVENTS = 2_000;
const HOUR = 3_600_000;
const DAY = 24 * HOUR;
let t: TestContext;
let connection: NativeConnection;
let stop: () => Promise<void>;
/** Looks that each activity has answered with "not yet", of so many. */
let looks = 0;
let most = 0;

/** "Not yet" until there were enough looks. */
const look = async <T>(notYet: T, done: T): Promise<T> => ((looks += 1) > most ? done : notYet);
const nothing = async (): Promise<undefined> => undefined;
const activities = {
  takeTurn: () => look('wait', 'ended'),
  beginRepair: async (id: string) => ({ missing: id.startsWith('secret') ? ['KEY'] : [], restarted: false }),
  askForSecrets: () => look(false, true),
  repairDeploy: () => look({ refused: 'busy' }, { refused: 'overtaken' }),
  endRepair: nothing,
  advanceProof: () => look<number | null>(2, null),
  advanceStudio: () => look('waits', 'ended'),
  advanceTrial: () => look('waits', 'ended'),
  advanceKernelRun: () => look('waits', 'ended'),
  advancePlan: () => look('room', 'ended'),
  beginPurge: async () => ['usr_1'],
  stopAccount: () => look(1, 0),
  removeStored: nothing,
  removeRows: nothing,
  closeAccount: nothing,
  endPurge: nothing,
};

beforeAll(async () => {
  const temporal = await testTemporal();
  t = await testContext({ temporal });
  connection = await NativeConnection.connect({ address: temporal.address });
  const workflowBundle = await fastWorkflows();
  const common = { connection, namespace: temporal.namespace, activities };
  const workers = await Promise.all([Worker.create({ ...common, workflowBundle, taskQueue: 'control' }), Worker.create({ ...common, taskQueue: 'long-work' })]);
  const running = Promise.all(workers.map((worker) => worker.run()));
  stop = async () => {
    for (const worker of workers) worker.shutdown();
    await running;
  };
});
afterAll(async () => {
  await stop();
  await connection.close();
  await t.close();
});

/** The workflows with fast-pace.ts in the place of pace.ts. */
async function fastWorkflows(): Promise<{ code: string }> {
  return bundleWorkflowCode({
    workflowsPath: fileURLToPath(new URL('../../workflows/index.ts', import.meta.url)),
    logger: { log: ignore, trace: ignore, debug: ignore, info: ignore, warn: ignore, error: ignore },
    webpackConfigHook: (config) => {
      const alias: Record<string, string> = { ...Object(config.resolve?.alias), './pace.ts': fileURLToPath(new URL('./fast-pace.ts', import.meta.url)) };
      return { ...config, resolve: { ...config.resolve, alias } };
    },
  });
}
function ignore(): void {}

/** Lives of a workflow that looks so often: events of each. */
async function livesOf(type: string, args: object, count: number): Promise<number[]> {
  [looks, most] = [0, count];
  const workflowId = `${type}:${randomUUID()}`;
  await t.ctx.drivers.workflows.start({ type, workflowId, taskQueue: 'control', args: [args], searchAttributes: { SvcKind: 'test', SvcOwner: 'usr_1' } });
  await t.temporal.workflow.getHandle(workflowId).result();
  const events: number[] = [];
  for await (const { runId } of t.temporal.workflow.list({ query: `WorkflowId = '${workflowId}'` })) {
    const { events: all } = await t.temporal.workflow.getHandle(workflowId, runId).fetchHistory();
    events.push(all?.length ?? 0);
  }
  return events;
}

/** Of one more look. */
async function eventsOfLook(type: string, args: object): Promise<number> {
  const [[few = 0], [more = 0]] = [await livesOf(type, args, 1), await livesOf(type, args, 5)];
  return (more - few) / 4;
}

/** In so long a life. */
function looksOf(lifeMs: number, pause: (waitedMs: number) => number): number {
  let count = 0;
  for (let at = 0; at < lifeMs; at += pause(at)) count += 1;
  return count;
}
const at = (pace: Pace) => (waited: number) => pauseAfter(waited, pace);

const soon = (): number => Date.now() + HOUR;
/** What is promised to last so long, with nothing but looks. */
const LIVES: [string, string, () => object, number][] = [
  ['a deployment that waits for its turn for a day', 'deployAgent', () => ({ deploy_id: 'dep_1' }), looksOf(DAY, at(PACES.turn))],
  [
    'a repair that waits for a secret',
    'selfHeal',
    () => ({ repair_id: 'secret', over_limit: false, timeout_seconds: 60 }),
    looksOf(SECRET_WITHIN_MS, at(PACES.secret)),
  ],
  [
    'a repair that waits for a deployment',
    'selfHeal',
    () => ({ repair_id: 'busy', over_limit: false, timeout_seconds: 60 }),
    looksOf(BUSY_FOR_MS, at(PACES.busy)),
  ],
  [
    'a proof',
    'proveSkill',
    () => ({ proof_id: 'prf_1' }),
    looksOf(PROOF_DEADLINE_SECONDS.most * 1000, (waited) => pauseOfProof(waited, PROOF_DEADLINE_SECONDS.most * 1000 - waited)),
  ],
  ['a run of the studio', 'studioRun', () => ({ job_id: 'job_1', deadline_at: soon() }), looksOf(STUDIO_SECONDS * 1000, at(PACES.studio))],
  ['a trial that waits for eight hours', 'trialRun', () => ({ job_id: 'job_1', deadline_at: soon() }), looksOf(8 * HOUR, at(PACES.trial))],
  ['a simulation that waits for eight hours', 'kernelRun', () => ({ job_id: 'job_1', deadline_at: soon() }), looksOf(8 * HOUR, at(PACES.simulation))],
  ['a plan that waits for room for eight hours', 'dagRun', () => ({ dag_run_id: 'dag_1' }), looksOf(8 * HOUR, at(PACES.room))],
  ['a purge of an account whose runs do not end', 'purgeAccounts', () => ({ job_id: 'job_1' }), STOPPING_LOOKS],
];

test.each(LIVES)('%s stays below 2,000 events', async (_what, type, args, count) => {
  const each = await eventsOfLook(type, args());
  expect(each).toBeGreaterThan(3);
  expect(count).toBeGreaterThan(20);
  expect(count * each).toBeLessThan(MOST_EVENTS);
});

test.each([
  ['deployAgent', { deploy_id: 'dep_1' }],
  ['proveSkill', { proof_id: 'prf_1' }],
])('%s that lasts longer continues as new, and loses nothing by it', async (type, args) => {
  const lives = await livesOf(type, args, 30);
  expect(lives.length).toBeGreaterThan(1);
  expect(Math.max(...lives)).toBeLessThan(200);
  expect(looks).toBe(31);
});
