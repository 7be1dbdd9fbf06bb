// The deployment workflow on a real Temporal server and a real database; only the machines are scripted.
import { Readable } from 'node:stream';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { createDeployActivities } from '#activities/deploy.ts';
import { acceptTarball } from '#core/deploys/deployment/accept.ts';
import { getDeployment } from '#core/deploys/deployment/read.ts';
import { deleteAgent } from '#core/agents/agent/delete.ts';
import { putSecret } from '#core/agents/secret/put.ts';
import { getMine } from '#core/agents/agent/get.ts';
import type { Ctx } from '#core/kernel/ctx.ts';
import { sweepOutbox } from '#core/outbox/dispatch.ts';
import { cancelWorkflow } from '#core/outbox/messages.ts';
import { inTx } from '#core/kernel/tx.ts';
import { RuntimeError } from '#drivers/runtime/port.ts';
import { temporalWorkflows } from '#drivers/workflows/temporal.ts';
import { testContext, type TestContext, type TestUser } from '#test/support/context.ts';
import { greeterFiles, tarball } from '#test/support/project.ts';
import { recordHistory } from '#test/support/record-history.ts';
import { scriptedRuntime } from '#test/support/scripted-runtime.ts';
import { testTemporal } from '#test/support/servers.ts';
import { startTestWorkers } from '#test/support/workers.ts';

const runtime = scriptedRuntime();
let t: TestContext;
let ada: TestUser;
let startWorkers: () => Promise<() => Promise<void>>;
let stopWorkers: () => Promise<void>;

beforeAll(async () => {
  const temporal = await testTemporal();
  t = await testContext({ temporal });
  t.ctx.drivers.runtime = runtime;
  ada = await t.user('ada');
  const activities = createDeployActivities({ ...t.ctx, node: 'local' });
  startWorkers = () => startTestWorkers(temporal, activities);
  stopWorkers = await startWorkers();
});
afterAll(async () => {
  await stopWorkers();
  await t.close();
});

async function deploy(name: string, version = '1.0.0', as: Ctx = ada, more = ''): Promise<string> {
  const files = greeterFiles(name, version);
  return deployFiles(name, version, as, { ...files, 'svc.yaml': `${files['svc.yaml']}${more}` });
}

async function deployFiles(name: string, version: string, as: Ctx, files: Record<string, string>): Promise<string> {
  const source = await tarball(files);
  const { deploy_id } = await acceptTarball(
    as,
    (async function* () {
      yield { kind: 'file' as const, name: 'source', stream: Readable.from(source, { objectMode: false }) };
    })(),
  );
  runtime.cards.set(deploy_id, { name, description: '', version, skills: [{ id: 'greet', name: 'greet', input_schema: {}, output_schema: {} }] });
  return deploy_id;
}

const reaches = (name: string, deployId: string, state: string): Promise<unknown> =>
  vi.waitFor(async () => expect(await getDeployment(ada, { name, deploy_id: deployId })).toMatchObject({ state }), { timeout: 20_000, interval: 50 });

const keep = (workflowId: string, name: string): Promise<void> => recordHistory(t.temporal, workflowId, name);

test('queued, built, started, verified, live: every stage is an event', async () => {
  const id = await deploy('flow');
  runtime.finish(id, 'ok');
  await reaches('flow', id, 'live');
  const { job_id } = await getDeployment(ada, { name: 'flow', deploy_id: id });
  const events = await t.ctx.db('job_events').where({ job_id }).orderBy('seq');
  expect(events.map((e) => e.seq)).toEqual(events.map((_, n) => n + 1));
  expect(events.filter((e) => e.kind === 'stage').map((e) => e.payload)).toEqual(['building', 'starting', 'verifying', 'live'].map((stage) => ({ stage })));
  expect(events.at(-1)?.kind).toBe('job.succeeded');
  await keep(`deploy:${id}`, 'deployAgent.live');
});

test('a failed build names its reason, is not tried again, and leaves the old version serving', async () => {
  const good = await deploy('failing', '1.0.0');
  runtime.finish(good, 'ok');
  await reaches('failing', good, 'live');
  const bad = await deploy('failing', '2.0.0');
  runtime.finish(bad, new RuntimeError('build_failed', 'agent.ts:3: unexpected end'));
  await reaches('failing', bad, 'failed');
  expect(await getDeployment(ada, { name: 'failing', deploy_id: bad })).toMatchObject({
    error: { code: 'build_failed', message: 'agent.ts:3: unexpected end' },
  });
  expect(runtime.builds.filter((b) => b === bad)).toHaveLength(1);
  expect(await getMine(ada, { name: 'failing' })).toMatchObject({ state: 'live', version: '1.0.0' });
  await keep(`deploy:${bad}`, 'deployAgent.build-failed');
});

test('what svc.yaml says of an HTTP service reaches the build, with its defaults', async () => {
  const manifest = 'name: served\nversion: 1.0.0\nentrypoint: main:main\nservice: { openapi: api/openapi.yaml, ready: /healthz }\n';
  const id = await deployFiles('served', '1.0.0', ada, { 'svc.yaml': manifest, 'go.mod': 'module served\n' });
  runtime.finish(id, 'ok');
  await reaches('served', id, 'live');
  const declaration = { openapi: 'api/openapi.yaml', ready: '/healthz', timeout_seconds: 60, concurrency: 16 };
  expect(runtime.asked.get(id)).toMatchObject({ language: 'go', entrypoint: 'main:main', service: { name: 'served', version: '1.0.0', declaration } });
});

test('a wrong card never gets traffic', async () => {
  const id = await deploy('liar');
  runtime.cards.set(id, { name: 'somebody-else', description: '', version: '1.0.0', skills: [] });
  runtime.finish(id, 'ok');
  await reaches('liar', id, 'failed');
  expect(await getDeployment(ada, { name: 'liar', deploy_id: id })).toMatchObject({ error: { code: 'card_mismatch' } });
  await vi.waitFor(() => expect([...runtime.running.values()].map((i) => i.deployment_id)).not.toContain(id));
});

test('two at once: the second waits for the first, and both go live in order', async () => {
  const [one, two] = [await deploy('pair', '1.0.0'), await deploy('pair', '2.0.0')];
  await runtime.begun(one);
  expect(runtime.builds).not.toContain(two);
  runtime.finish(two, 'ok');
  runtime.finish(one, 'ok');
  await reaches('pair', two, 'live');
  expect(await getDeployment(ada, { name: 'pair', deploy_id: one })).toMatchObject({ state: 'superseded' });
  await keep(`deploy:${two}`, 'deployAgent.waited');
});

test('two agents: the second waits for the builder, reports the wait, and is built when the first is', async () => {
  const [one, two] = [await deploy('first-built'), await deploy('then-built')];
  await runtime.begun(one);
  const waits = async (): Promise<unknown> =>
    (await t.ctx.db('job_events as e').join('deployments as d', 'd.job_id', 'e.job_id').where({ 'd.deploy_id': two, 'e.kind': 'waiting' }).first('e.payload'))
      ?.payload;
  await vi.waitFor(async () => expect(await waits()).toMatchObject({ place: null, own_before: 1 }), { timeout: 20_000 });
  expect(runtime.builds).not.toContain(two);
  runtime.finish(two, 'ok');
  runtime.finish(one, 'ok');
  await reaches('then-built', two, 'live');
  await reaches('first-built', one, 'live');
});

test('cancelled in the middle of a build: the build ends, the next one gets its turn', async () => {
  const [one, two] = [await deploy('halted', '1.0.0'), await deploy('halted', '2.0.0')];
  await runtime.begun(one);
  await inTx(ada, (ctx) => cancelWorkflow(ctx, `deploy:${one}`));
  await reaches('halted', one, 'cancelled');
  await keep(`deploy:${one}`, 'deployAgent.cancelled');
  runtime.finish(two, 'ok');
  await reaches('halted', two, 'live');
});

test('a build that hangs past the time svc.yaml allows fails with that reason; its machine is stopped, and the next one gets its turn', async () => {
  // A minute is the least that svc.yaml takes: the workflow begins with less.
  const { workflows } = ada.drivers;
  const start: typeof workflows.start = (order) => {
    expect(order.args).toEqual([{ deploy_id: expect.any(String), timeout_seconds: 60 }]);
    return workflows.start({ ...order, args: [{ ...Object(order.args[0]), timeout_seconds: 2 }] });
  };
  const hasty = { ...ada, drivers: { ...ada.drivers, workflows: { ...workflows, start } } };
  const hung = await deploy('hung', '1.0.0', hasty, 'self_healing:\n  deployment_timeout_seconds: 60\n');
  const next = await deploy('not-hung');
  runtime.finish(next, 'ok');
  await runtime.begun(hung);
  await reaches('hung', hung, 'failed');
  expect(await getDeployment(ada, { name: 'hung', deploy_id: hung })).toMatchObject({
    error: { code: 'deployment_timeout', message: expect.stringContaining('self_healing.deployment_timeout_seconds') },
  });
  expect(runtime.open.has(hung)).toBe(false);
  expect(runtime.builds.filter((id) => id === hung)).toHaveLength(1);
  await reaches('not-hung', next, 'live');
  await keep(`deploy:${hung}`, 'deployAgent.timed-out');
});

test('the worker goes away in the middle of a build: after its return the build starts again and goes live once', async () => {
  const id = await deploy('crashed');
  await runtime.begun(id);
  await stopWorkers();
  stopWorkers = await startWorkers();
  runtime.finish(id, 'ok');
  await reaches('crashed', id, 'live');
  const { job_id } = await getDeployment(ada, { name: 'crashed', deploy_id: id });
  expect(await t.ctx.db('job_events').where({ job_id, kind: 'job.succeeded' })).toHaveLength(1);
});

test('a start that was never sent, because Temporal was away, is sent by the sweeper', async () => {
  const away = temporalWorkflows({ address: '127.0.0.1:1', namespace: 'svc' });
  const id = await deploy('swept', '1.0.0', { ...ada, drivers: { ...ada.drivers, workflows: away } });
  runtime.finish(id, 'ok');
  const row = () => t.ctx.db('outbox').where({ workflow_id: `deploy:${id}` });
  // The fast path, which goes on on its own after the commit, has tried and set the row aside; before that it
  // would undo what follows.
  await vi.waitFor(async () => expect(await row().first('sent_at', 'last_error')).toEqual({ sent_at: null, last_error: expect.any(String) }));
  const minuteAgo = t.ctx.db.raw("now() - interval '1 minute'");
  await row().update({ due_at: minuteAgo, created_at: minuteAgo });
  expect(await sweepOutbox(t.ctx)).toBe(1);
  await reaches('swept', id, 'live');
  await away.close();
});

test('a secret set with a restart: the same image in another instance, which has it; no build, and the old one goes', async () => {
  const first = await deploy('renewed');
  runtime.finish(first, 'ok');
  await reaches('renewed', first, 'live');
  // The one builder is taken, by somebody else: a restart needs none.
  const elsewhere = await deploy('elsewhere');
  await runtime.begun(elsewhere);
  const set = await putSecret(ada, { name: 'renewed', key: 'TOKEN', value: 'of the test', inject: null, restart: true });
  const again = set.deploy_id ?? '';
  runtime.cards.set(again, {
    name: 'renewed',
    description: '',
    version: '1.0.0',
    skills: [{ id: 'greet', name: 'greet', input_schema: {}, output_schema: {} }],
  });
  await reaches('renewed', again, 'live');
  expect(runtime.builds).not.toContain(again);
  const started = [...runtime.running.values()].find(({ deployment_id }) => deployment_id === again);
  expect(started).toMatchObject({ image: `sha256:${first}`, secrets: { TOKEN: 'of the test' } });
  expect(await getDeployment(ada, { name: 'renewed', deploy_id: first })).toMatchObject({ state: 'superseded' });
  runtime.finish(elsewhere, 'ok');
  await reaches('elsewhere', elsewhere, 'live');
  await vi.waitFor(() => expect([...runtime.running.values()].map((i) => i.deployment_id)).not.toContain(first), { timeout: 25_000 });
});

test('deleting the agent cancels its open deployment and stops its machines', async () => {
  const live = await deploy('doomed', '1.0.0');
  runtime.finish(live, 'ok');
  await reaches('doomed', live, 'live');
  const open = await deploy('doomed', '2.0.0');
  await runtime.begun(open);
  await deleteAgent(ada, { name: 'doomed' });
  await vi.waitFor(async () => expect(await t.ctx.db('deployments').where({ deploy_id: open }).first()).toMatchObject({ state: 'cancelled' }), {
    timeout: 20_000,
  });
  await vi.waitFor(() => expect([...runtime.running.values()].map((i) => i.agent)).not.toContain('doomed'), { timeout: 20_000 });
  const retire = await t.ctx.db('outbox').where({ name: 'retireAgent' }).first('workflow_id');
  await keep(retire?.workflow_id ?? '', 'retireAgent.stopped');
});
