// Deployments on two hosts, on a real Temporal server and a real database; only the machines are scripted. An
// image lies on the host that built it.
import { Readable } from 'node:stream';
import { NativeConnection, Worker } from '@temporalio/worker';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { createDeployActivities, type DeployActivities } from '#activities/deploy.ts';
import { acceptTarball } from '#core/deploys/deployment/accept.ts';
import { deploymentLogs, getDeployment } from '#core/deploys/deployment/read.ts';
import { redeploySource } from '#core/deploys/deployment/redeploy.ts';
import { putSecret } from '#core/agents/secret/put.ts';
import { RuntimeError } from '#drivers/runtime/port.ts';
import { testContext, type TestContext, type TestUser } from '#test/support/context.ts';
import { recordHistory } from '#test/support/record-history.ts';
import { greeterFiles, tarball } from '#test/support/project.ts';
import { scriptedRuntime, type ScriptedRuntime } from '#test/support/scripted-runtime.ts';
import { testTemporal } from '#test/support/servers.ts';
import { testWorkflows } from '#test/support/workflows.ts';
import { cites } from '#test/spec/verifies.ts';

interface Host {
  node: string;
  runtime: ScriptedRuntime;
  images: Set<string>;
  activities: DeployActivities;
}

/** What agents answer, on whatever host. */
const cards = new Map<string, unknown>();
let t: TestContext;
let ada: TestUser;
let temporal: Awaited<ReturnType<typeof testTemporal>>;
beforeAll(async () => {
  temporal = await testTemporal();
  t = await testContext({ temporal });
  ada = await t.user('ada');
  await polls(['control', 'long-work'], host('control'));
});
afterAll(() => t.close());

/** As the host program: it starts what it has built, and nothing else. */
function host(node: string): Host {
  const runtime = scriptedRuntime();
  const images = new Set<string>();
  const { build, start } = runtime;
  runtime.cards = cards;
  runtime.build = async (...args) => {
    runtime.finish(args[0].build_id, 'ok');
    const built = await build(...args);
    images.add(built.image);
    return built;
  };
  runtime.start = async (...args) => {
    if (!images.has(args[0].image)) throw new RuntimeError('not_found', `There is no image ${args[0].image} on this host; build it again.`);
    return start(...args);
  };
  return { node, runtime, images, activities: createDeployActivities({ ...t.ctx, drivers: { ...t.ctx.drivers, runtime }, node }) };
}

/** Workers of these queues of a host; resolves with what stops them. */
async function polls(queues: readonly string[], of: Host): Promise<() => Promise<void>> {
  const connection = await NativeConnection.connect({ address: temporal.address });
  const bundle = await testWorkflows();
  const workers = await Promise.all(
    queues.map((taskQueue) =>
      Worker.create({
        connection,
        namespace: temporal.namespace,
        taskQueue,
        activities: of.activities,
        shutdownGraceTime: '1s',
        ...(taskQueue === 'control' && { workflowBundle: bundle }),
      }),
    ),
  );
  const running = Promise.all(workers.map((worker) => worker.run()));
  let ending: Promise<void> | undefined;
  const end = async (): Promise<void> => {
    for (const worker of workers) if (worker.getState() === 'RUNNING') worker.shutdown();
    await running;
    await connection.close();
  };
  const stop = (): Promise<void> => (ending ??= end());
  if (queues[0] === 'control') afterAll(stop);
  else onTestFinished(stop);
  return stop;
}

/** Whose deployments are given up after `most` short waits, instead of an hour's. */
function hurried(user: TestUser, most: number): TestUser {
  const { workflows } = user.drivers;
  const start: typeof workflows.start = (w) => workflows.start({ ...w, args: w.args.map((one) => ({ ...Object(one), placing: { within_ms: 300, most } })) });
  return { ...user, drivers: { ...user.drivers, workflows: { ...workflows, start } } };
}

async function deploy(name: string, as: TestUser = ada): Promise<string> {
  const source = await tarball(greeterFiles(name, '1.0.0'));
  cards.set(name, { name, description: '', version: '1.0.0', skills: [{ id: 'greet', name: 'greet', input_schema: {}, output_schema: {} }] });
  const { deploy_id } = await acceptTarball(
    as,
    (async function* () {
      yield { kind: 'file' as const, name: 'source', stream: Readable.from(source, { objectMode: false }) };
    })(),
  );
  return deploy_id;
}

const reaches = (name: string, deployId: string, state: string): Promise<unknown> =>
  vi.waitFor(async () => expect(await getDeployment(ada, { name, deploy_id: deployId })).toMatchObject({ state }), { timeout: 30_000, interval: 100 });
const nodeOf = async (deployId: string): Promise<string | undefined> =>
  (await t.ctx.db('instances').where({ deploy_id: deployId }).orderBy('created_at', 'desc').first('node'))?.node;

/**
 * Two versions, built and live on host `at`; resolves with the first one's id. Its worker then takes no more
 * builds.
 */
async function twoVersions(name: string, at: Host): Promise<string> {
  const stop = await polls(['builds', `runtime:${at.node}`], at);
  const first = await deploy(name);
  await reaches(name, first, 'live');
  await reaches(name, await deploy(name), 'live');
  await stop();
  return first;
}

test('a rollback is started on the host that has the image, whichever worker takes it', async () => {
  const [one, two] = [host('roll-one'), host('roll-two')];
  const first = await twoVersions('rolled', one);
  await polls([`runtime:${one.node}`], one);
  await polls(['builds', `runtime:${two.node}`], two);
  const { deploy_id: back } = await redeploySource(ada, { name: 'rolled', deploy_id: first });
  await reaches('rolled', back, 'live');
  expect(await nodeOf(back)).toBe(one.node);
  expect([...one.runtime.builds, ...two.runtime.builds]).not.toContain(back);
});

test('so is a restart', async () => {
  const [one, two] = [host('again-one'), host('again-two')];
  await twoVersions('restarted', one);
  await polls([`runtime:${one.node}`], one);
  await polls(['builds', `runtime:${two.node}`], two);
  const set = await putSecret(ada, { name: 'restarted', key: 'TOKEN', value: 'of the test', inject: null, restart: true });
  const again = set.deploy_id ?? '';
  await reaches('restarted', again, 'live');
  expect(await nodeOf(again)).toBe(one.node);
});

test('an image on a host that has no worker is built again, in its turn, and started where it was built', async () => {
  const [one, two] = [host('lost-one'), host('lost-two')];
  const first = await twoVersions('stranded', one);
  // The server names a worker that is gone for five minutes more: this host never had one.
  await t.ctx.db('node_images').where({ node: one.node }).update({ node: 'never-there' });
  await polls(['builds', `runtime:${two.node}`], two);
  const { deploy_id: back } = await redeploySource(ada, { name: 'stranded', deploy_id: first });
  await reaches('stranded', back, 'live');
  expect([await nodeOf(back), two.runtime.builds]).toEqual([two.node, [back]]);
});

test('a start that no worker of its host takes is given up in time, and placed anew', async () => {
  const [one, two] = [host('gone-one'), host('gone-two')];
  const first = await twoVersions('orphaned', one);
  await polls(['builds', `runtime:${two.node}`], two);
  const { deploy_id: back } = await redeploySource(ada, { name: 'orphaned', deploy_id: first });
  const handle = t.temporal.workflow.getHandle(`deploy:${back}`);
  const limit = async (): Promise<number> => {
    const scheduled = (await handle.fetchHistory()).events?.flatMap((event) => event.activityTaskScheduledEventAttributes ?? []) ?? [];
    const start = scheduled.find(({ activityType }) => activityType?.name === 'startInstance');
    return Number(start?.scheduleToStartTimeout?.seconds ?? 0);
  };
  await vi.waitFor(async () => expect(await limit()).toBe(60), { timeout: 30_000, interval: 100 });
  // A minute has passed.
  await t.temporal.workflowService.updateActivityOptions({
    namespace: temporal.namespace,
    execution: { workflowId: handle.workflowId },
    type: 'startInstance',
    activityOptions: { scheduleToStartTimeout: { seconds: 1 as never } },
    updateMask: { paths: ['schedule_to_start_timeout'] },
  });
  await reaches('orphaned', back, 'live');
  expect(await logOf('orphaned', back)).toContainEqual(expect.stringMatching(/^No worker takes work of host gone-one: .*; tried 1 of 60 times$/));
  expect([await nodeOf(back), two.runtime.builds]).toEqual([two.node, [back]]);
  await recordHistory(t.temporal, handle.workflowId, 'deployAgent.placed-anew');
});

test('a start that no host takes says what it waits for, and ends', cites('agents.deployment'), async () => {
  const one = host('down-one');
  await polls(['builds'], one);
  const waiting = await deploy('patient');
  await vi.waitFor(async () => expect(await getDeployment(ada, { name: 'patient', deploy_id: waiting })).toMatchObject({ state: 'starting' }), {
    timeout: 30_000,
    interval: 100,
  });
  const { waits_for } = await getDeployment(ada, { name: 'patient', deploy_id: waiting });
  expect(waits_for).toBe('No worker takes work of host down-one: it is down, or has too many starts before this one');
  const given = await deploy('given-up', hurried(ada, 3));
  await reaches('given-up', given, 'failed');
  expect(await getDeployment(ada, { name: 'given-up', deploy_id: given })).toMatchObject({
    error: { code: 'host_unreachable', message: expect.stringMatching(/^Host down-one did not take the start: /) },
    waits_for: null,
  });
  const said = (await logOf('given-up', given)).filter((line) => line.startsWith('No worker'));
  expect(said.map((line) => line.replace(/^.*; /, ''))).toEqual(['tried 1 of 3 times', 'tried 2 of 3 times']);
  await recordHistory(t.temporal, `deploy:${given}`, 'deployAgent.start-not-taken');
  await t.temporal.workflow.getHandle(`deploy:${waiting}`).cancel();
  await reaches('patient', waiting, 'cancelled');
});

test('a build that no host takes ends, too; one that is back in time builds it', async () => {
  const given = await deploy('unbuilt', hurried(ada, 3));
  await reaches('unbuilt', given, 'failed');
  expect(await getDeployment(ada, { name: 'unbuilt', deploy_id: given })).toMatchObject({
    error: { code: 'host_unreachable', message: expect.stringMatching(/^No host took the build: /) },
  });
  await recordHistory(t.temporal, `deploy:${given}`, 'deployAgent.build-not-taken');
  const late = await deploy('built-late', hurried(ada, 1000));
  await vi.waitFor(async () => expect(await logOf('built-late', late)).toContainEqual(expect.stringMatching(/^No worker takes builds: /)), {
    timeout: 30_000,
    interval: 100,
  });
  const one = host('back-one');
  await polls(['builds', 'runtime:back-one'], one);
  await reaches('built-late', late, 'live');
});

async function logOf(name: string, deploy_id: string): Promise<string[]> {
  return (await deploymentLogs(ada, { name, deploy_id, tail: 1000 })).lines.map(({ text }) => text);
}

test('a host that has lost an image builds it again', async () => {
  const one = host('forgot-one');
  const first = await twoVersions('forgotten', one);
  one.images.clear();
  await polls(['builds', `runtime:${one.node}`], one);
  const { deploy_id: back } = await redeploySource(ada, { name: 'forgotten', deploy_id: first });
  await reaches('forgotten', back, 'live');
  expect(one.runtime.builds.filter((id) => id === back)).toHaveLength(1);
  const { job_id } = await getDeployment(ada, { name: 'forgotten', deploy_id: back });
  const stages = await t.ctx.db('job_events').where({ job_id, kind: 'stage' }).orderBy('seq').pluck('payload');
  expect(stages).toEqual(['building', 'starting', 'building', 'starting', 'verifying', 'live'].map((stage) => ({ stage })));
  await recordHistory(t.temporal, `deploy:${back}`, 'deployAgent.image-missing');
});
