// Reviews, self-healing and runtime upgrades on a real Temporal server and a real database; agents are HTTP
// servers on sockets, only the machines are scripted.
import { createServer, type Server } from 'node:http';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { createDeployActivities } from '#activities/deploy.ts';
import { createRepairActivities } from '#activities/repairs.ts';
import { createReviewActivities } from '#activities/reviews.ts';
import { acceptTarball } from '#core/deploys/deployment/accept.ts';
import { getDeployment } from '#core/deploys/deployment/read.ts';
import { redeploySource } from '#core/deploys/deployment/redeploy.ts';
import { readHealing } from '#core/deploys/healing/read.ts';
import { beginRepairs } from '#core/deploys/healing/watch.ts';
import { latestReview } from '#core/quality/review/read.ts';
import { putSecret } from '#core/agents/secret/put.ts';
import { upgradeRuntime } from '#core/deploys/upgrade/runtime.ts';
import { forgetSettings } from '#core/kernel/settings.ts';
import { invokeSkill } from '#test/support/calls.ts';
import { testContext, type TestContext, type TestUser } from '#test/support/context.ts';
import { greeterFiles, tarball } from '#test/support/project.ts';
import { recordHistory } from '#test/support/record-history.ts';
import { scriptedRuntime } from '#test/support/scripted-runtime.ts';
import { testTemporal } from '#test/support/servers.ts';
import { startTestWorkers } from '#test/support/workers.ts';

const scripted = scriptedRuntime();
const servers = new Map<string, Server>();
/** Images whose skills fail, and those that refuse what a caller sends. */
const broken = new Set<string>();
const refusing = new Set<string>();
const reviewing: { advisoriesFile?: string } = {};
let folder: string;
let t: TestContext;
let ada: TestUser;
let startWorkers: () => Promise<() => Promise<void>>;
let stop: () => Promise<void>;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-up-'));
  const temporal = await testTemporal();
  t = await testContext({ temporal });
  t.ctx.drivers.runtime = {
    ...scripted,
    start: async (input, onLog, signal) => {
      const started = await scripted.start(input, onLog, signal);
      if (!servers.has(input.instance_id))
        await serve(input.instance_id, () => (broken.has(input.image) ? 500 : refusing.has(input.image) ? 422 : 200), started.card);
      return started;
    },
    address: (id) => ({ unix: join(folder, `${id.slice(-12)}.sock`) }),
  };
  ada = await t.user('ada');
  startWorkers = () =>
    startTestWorkers(temporal, {
      ...createDeployActivities({ ...t.ctx, node: 'local' }),
      ...createReviewActivities(t.ctx, reviewing),
      ...createRepairActivities(t.ctx, { watchMs: 1_500 }),
    });
  stop = await startWorkers();
});
afterAll(async () => {
  await stop();
  for (const server of servers.values()) server.close();
  await t.close();
  await rm(folder, { recursive: true, force: true });
});

/** An agent's own server, as far as a call and a proof reach. */
async function serve(id: string, status: () => number, card: unknown): Promise<void> {
  const server = createServer((request, response) => {
    const answer = (code: number, body: unknown): void => void response.writeHead(code, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    if (request.url === '/healthz') answer(200, { status: 'ok' });
    else if (request.url === '/.well-known/agent-card') answer(200, card);
    else if (status() === 200) answer(200, { text: 'Hello' });
    else if (status() === 422) answer(422, { detail: { code: 'invalid_arguments', message: 'not so' } });
    else answer(500, { detail: { code: 'skill_invocation_error', message: 'the key sk-is-secret broke it' } });
  });
  servers.set(id, server);
  await new Promise<void>((resolve) => server.listen(join(folder, `${id.slice(-12)}.sock`), resolve));
}

const cardOf = (name: string, version: string, more: object = {}) => ({
  name,
  description: '',
  version,
  skills: [{ id: 'greet', name: 'greet', input_schema: { type: 'object' }, output_schema: {} }],
  ...more,
});

interface Made {
  version?: string;
  files?: Record<string, string>;
  manifest?: string;
  card?: object;
}

/** Queued, built at once. */
async function deploy(name: string, { version = '1.0.0', files = {}, manifest = '', card = {} }: Made = {}): Promise<string> {
  const base = greeterFiles(name, version);
  const source = await tarball({ ...base, 'svc.yaml': `${base['svc.yaml'] ?? ''}${manifest}`, ...files });
  const { deploy_id } = await acceptTarball(
    ada,
    (async function* () {
      yield { kind: 'file' as const, name: 'source', stream: Readable.from(source, { objectMode: false }) };
    })(),
  );
  scripted.cards.set(name, cardOf(name, version, card));
  scripted.cards.set(deploy_id, cardOf(name, version, card));
  scripted.finish(deploy_id, 'ok');
  await reaches(name, deploy_id, 'live');
  return deploy_id;
}

const soon = { timeout: 30_000, interval: 50 };
const reaches = (name: string, deployId: string, state: string): Promise<unknown> =>
  vi.waitFor(async () => expect(await getDeployment(ada, { name, deploy_id: deployId })).toMatchObject({ state }), soon);
const call = (name: string): Promise<unknown> =>
  invokeSkill(ada, { name, skill_name: 'greet', args: {}, accept: 'application/json', signal: AbortSignal.timeout(20_000) });
const healing = 'self_healing:\n  cooldown_seconds: 60\n';
const repairs = async (name: string) => (await readHealing(ada, { name, limit: 20 })).repairs;
const repaired = (name: string, expected: object): Promise<unknown> => vi.waitFor(async () => expect((await repairs(name))[0]).toMatchObject(expected), soon);

test('what goes live is reviewed on its own, with its findings, and the deploy did not wait', async () => {
  const id = await deploy('reviewed', { files: { 'helper.ts': 'export const run = (code: string) => eval(code);\n' } });
  await vi.waitFor(async () => expect(await latestReview(ada, { name: 'reviewed' })).toMatchObject({ deploy_id: id, status: 'warning' }), soon);
  const review = await latestReview(ada, { name: 'reviewed' });
  expect(review.findings).toContainEqual(expect.objectContaining({ rule: 'risky-code', path: 'helper.ts', line: 1, severity: 'warning' }));
  expect(review).toMatchObject({ critical_count: 0, ref: expect.stringMatching(/^[0-9a-f]{40}$/), error: null });
  expect(
    await t.ctx
      .db('jobs')
      .where({ job_id: review.job_id ?? '' })
      .first(),
  ).toMatchObject({ kind: 'review', state: 'succeeded' });
  await recordHistory(t.temporal, `review:${id}`, 'reviewAgent.reviewed');
});

test('a reviewer that fails has no verdict; the deployment is live all the same', async () => {
  reviewing.advisoriesFile = join(folder, 'not-there.json');
  const id = await deploy('errored');
  await vi.waitFor(
    async () => expect(await latestReview(ada, { name: 'errored' })).toMatchObject({ status: 'errored', error: { code: 'review_failed' } }),
    soon,
  );
  delete reviewing.advisoriesFile;
  await reaches('errored', id, 'live');
  await recordHistory(t.temporal, `review:${id}`, 'reviewAgent.errored');
});

test('with reviewer_enabled 0 a review is skipped', async () => {
  await t.ctx.db('platform_settings').insert({ key: 'reviewer_enabled', value: 0, version: 1 });
  forgetSettings(t.ctx.db);
  await deploy('unreviewed');
  expect(await latestReview(ada, { name: 'unreviewed' })).toMatchObject({ status: 'skipped', job_id: null });
  await t.ctx.db('platform_settings').delete();
  forgetSettings(t.ctx.db);
});

test('a version whose skill fails is restarted, then the last good one is put back; nobody did anything', async () => {
  const good = await deploy('healer', { manifest: healing });
  await call('healer');
  const bad = await deploy('healer', { version: '2.0.0', manifest: healing, files: { 'bug.ts': 'throw new Error();\n' } });
  broken.add(`sha256:${bad}`);
  await expect(call('healer')).rejects.toMatchObject({ code: expect.stringMatching(/./) });
  expect(await beginRepairs(t.ctx)).toEqual(['healer']);
  expect(await beginRepairs(t.ctx)).toEqual([]);
  // People go on calling while it is repaired.
  let calling = true;
  const callers = (async () => {
    while (calling) {
      await call('healer').catch(() => undefined);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  })();
  scripted.cards.set('healer', cardOf('healer', '2.0.0'));
  await vi.waitFor(async () => expect((await repairs('healer'))[0]?.steps.map(({ action }) => action)).toEqual(['restart', 'put_back']), soon);
  const back = (await repairs('healer'))[0]?.steps[1]?.deploy_id ?? '';
  scripted.cards.set(back, cardOf('healer', '1.0.0'));
  await repaired('healer', {
    state: 'healed',
    failed_deploy_id: bad,
    deploy_id: back,
    tests: 'passed',
    outcome: { code: 'put_back' },
    changed_files: ['agent.ts', 'bug.ts', 'package.json', 'svc.yaml'],
  });
  calling = false;
  await callers;
  const [repair] = await repairs('healer');
  expect(repair?.steps).toMatchObject([
    { action: 'restart', outcome: 'failed', detail: 'It failed again' },
    { action: 'put_back', outcome: 'healed' },
  ]);
  const [before, after] = await Promise.all([good, back].map((deploy_id) => getDeployment(ada, { name: 'healer', deploy_id })));
  expect(after).toMatchObject({ state: 'live', source_commit: before?.source_commit, image: before?.image });
  expect(repair?.commit).toBe(before?.source_commit);
  expect(await call('healer')).toMatchObject({ status: 200 });
  // The words of the agent are nowhere in the history.
  expect(JSON.stringify(await readHealing(ada, { name: 'healer', limit: 20 }))).not.toContain('sk-is-secret');
  await recordHistory(t.temporal, `heal:${repair?.repair_id}`, 'selfHeal.put-back');
});

test('a restart that helps is the end of it; a 4xx never begins a repair', async () => {
  const id = await deploy('shaken', { manifest: healing });
  refusing.add(`sha256:${id}`);
  expect(await call('shaken')).toMatchObject({ status: 422 });
  expect(await t.ctx.db('agent_failures').where({ deploy_id: id })).toEqual([]);
  expect(await beginRepairs(t.ctx)).toEqual([]);
  broken.add(`sha256:${id}`);
  await expect(call('shaken')).rejects.toThrow();
  broken.delete(`sha256:${id}`);
  refusing.delete(`sha256:${id}`);
  expect(await beginRepairs(t.ctx)).toEqual(['shaken']);
  await repaired('shaken', { state: 'healed', outcome: { code: 'restart' }, steps: [{ action: 'restart', outcome: 'healed' }] });
  await recordHistory(t.temporal, `heal:${(await repairs('shaken'))[0]?.repair_id}`, 'selfHeal.restarted');
  // A call succeeds, then it fails again: the cool-down holds.
  await call('shaken');
  await t.ctx.db('agent_failures').insert({ deploy_id: (await repairs('shaken'))[0]?.deploy_id ?? '', code: 'http_500' });
  expect(await beginRepairs(t.ctx)).toEqual([]);
  // After it the restart is not tried again, and there is no other version: a person is needed.
  await t.ctx.db('agent_repairs').update({ ended_at: new Date(Date.now() - 120_000) });
  expect(await beginRepairs(t.ctx)).toEqual(['shaken']);
  await repaired('shaken', { state: 'needs_human', outcome: { code: 'no_good_version' }, steps: [] });
  await recordHistory(t.temporal, `heal:${(await repairs('shaken'))[0]?.repair_id}`, 'selfHeal.needs-human');
});

test('a restart after which only failures come is no end of it: the last good version is put back without a cool-down', async () => {
  const good = await deploy('silent', { manifest: healing });
  await call('silent');
  await deploy('silent', { version: '2.0.0', manifest: healing, files: { 'bug.ts': 'throw new Error();\n' } });
  scripted.cards.set('silent', cardOf('silent', '2.0.0'));
  broken.add(`sha256:${(await t.ctx.db('agents').where({ name: 'silent' }).first())?.live_deploy_id ?? ''}`);
  await expect(call('silent')).rejects.toThrow();
  expect(await beginRepairs(t.ctx)).toEqual(['silent']);
  // Nobody calls while it is watched.
  await repaired('silent', { state: 'healed', outcome: { code: 'restart' }, steps: [{ detail: 'Live; no call came while it was watched' }] });
  await expect(call('silent')).rejects.toThrow();
  expect(await beginRepairs(t.ctx)).toEqual(['silent']);
  await vi.waitFor(async () => expect((await repairs('silent'))[0]?.steps.map(({ action }) => action)).toEqual(['put_back']), soon);
  const back = (await repairs('silent'))[0]?.steps[0]?.deploy_id ?? '';
  scripted.cards.set(back, cardOf('silent', '1.0.0'));
  await repaired('silent', { state: 'healed', outcome: { code: 'put_back' } });
  const [before, after] = await Promise.all([good, back].map((deploy_id) => getDeployment(ada, { name: 'silent', deploy_id })));
  expect(after).toMatchObject({ state: 'live', source_commit: before?.source_commit });
  expect(await call('silent')).toMatchObject({ status: 200 });
});

test('a missing secret is asked for, and the agent is restarted with it', async () => {
  const id = await deploy('keyless', { manifest: healing, card: { required_secrets: ['TOKEN'] } });
  broken.add(`sha256:${id}`);
  await expect(call('keyless')).rejects.toThrow();
  await beginRepairs(t.ctx);
  await repaired('keyless', { state: 'awaiting_secret', missing_secrets: ['TOKEN'] });
  broken.delete(`sha256:${id}`);
  await putSecret(ada, { name: 'keyless', key: 'TOKEN', value: 'x', inject: null, restart: false });
  await repaired('keyless', {
    state: 'healed',
    missing_secrets: [],
    steps: [
      { action: 'ask_secret', outcome: 'healed' },
      { action: 'restart', outcome: 'healed' },
    ],
  });
  await recordHistory(t.temporal, `heal:${(await repairs('keyless'))[0]?.repair_id}`, 'selfHeal.secret');
});

test('the worker goes away in the middle of a repair: after its return the repair ends, with one restart', async () => {
  const id = await deploy('interrupted', { manifest: healing });
  broken.add(`sha256:${id}`);
  await expect(call('interrupted')).rejects.toThrow();
  broken.delete(`sha256:${id}`);
  await beginRepairs(t.ctx);
  await vi.waitFor(async () => expect((await repairs('interrupted'))[0]?.steps).toHaveLength(1), soon);
  await stop();
  stop = await startWorkers();
  await repaired('interrupted', { state: 'healed', steps: [{ action: 'restart', outcome: 'healed' }] });
  const agent = await t.ctx.db('agents').where({ name: 'interrupted' }).first('agent_id', 'deploy_count');
  expect(agent?.deploy_count).toBe(2);
});

test('an agent without the policy is not touched, and nothing is written for its failures', async () => {
  const id = await deploy('alone');
  broken.add(`sha256:${id}`);
  await expect(call('alone')).rejects.toThrow();
  expect(await t.ctx.db('agent_failures').where({ deploy_id: id })).toEqual([]);
  expect(await beginRepairs(t.ctx)).toEqual([]);
});

test('a newer runtime: the same source is built again, and goes live with the same card; one command takes it back', async () => {
  const before = await deploy('upgraded');
  expect(await upgradeRuntime(ada, { name: 'upgraded', check: true, force: false })).toMatchObject({ state: 'current', deploy_id: null });
  scripted.version = { runtime: 'newer', sdk: 'newer' };
  expect(await upgradeRuntime(ada, { name: 'upgraded', check: true, force: false })).toMatchObject({
    state: 'available',
    live: { sdk: 'scripted' },
    newest: { sdk: 'newer' },
  });
  const begun = await upgradeRuntime(ada, { name: 'upgraded', check: false, force: false });
  expect(begun).toMatchObject({ state: 'building', from_deploy_id: before });
  await expect(upgradeRuntime(ada, { name: 'upgraded', check: false, force: false })).rejects.toMatchObject({ code: 'deployment_under_way' });
  scripted.finish(begun.deploy_id ?? '', 'ok');
  await reaches('upgraded', begun.deploy_id ?? '', 'live');
  expect(await upgradeRuntime(ada, { name: 'upgraded', check: false, force: false })).toMatchObject({
    state: 'live',
    live: { runtime: 'newer', sdk: 'newer' },
    differences: [],
  });
  const builds = scripted.builds.length;
  const back = await redeploySource(ada, { name: 'upgraded', deploy_id: before });
  await reaches('upgraded', back.deploy_id, 'live');
  expect(scripted.builds).toHaveLength(builds);
  expect(await upgradeRuntime(ada, { name: 'upgraded', check: true, force: false })).toMatchObject({ state: 'rolled_back', live: { sdk: 'scripted' } });
});

test('a rebuilt agent with another card does not go live; the answer says what differs', async () => {
  scripted.version = { runtime: 'scripted', sdk: 'scripted' };
  const before = await deploy('differing');
  scripted.version = { runtime: 'newer', sdk: 'newest' };
  const { deploy_id } = await upgradeRuntime(ada, { name: 'differing', check: false, force: false });
  scripted.cards.set(deploy_id ?? '', {
    ...cardOf('differing', '1.0.0'),
    skills: [{ id: 'greet', name: 'greet', input_schema: { type: 'object', required: ['name'] }, output_schema: {} }],
  });
  scripted.finish(deploy_id ?? '', 'ok');
  await reaches('differing', deploy_id ?? '', 'failed');
  expect(await getDeployment(ada, { name: 'differing', deploy_id: deploy_id ?? '' })).toMatchObject({ error: { code: 'card_changed' } });
  expect(await upgradeRuntime(ada, { name: 'differing', check: true, force: false })).toMatchObject({
    state: 'rolled_back',
    differences: ['skills.greet.input_schema differs'],
  });
  expect(await getDeployment(ada, { name: 'differing', deploy_id: before })).toMatchObject({ state: 'live' });
});
