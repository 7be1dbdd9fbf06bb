import { Readable } from 'node:stream';
import { BuildLine } from '#contract/deploys/build-line.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { testContext, type TestContext, type TestUser } from '#test/support/context.ts';
import { greeterFiles, tarball } from '#test/support/project.ts';
import { acceptTarball } from './accept.ts';
import { advance, endDeployment, dequeueDeployment } from './stages.ts';

let t: TestContext;
let ada: TestUser;
let ben: TestUser;

beforeAll(async () => {
  t = await testContext();
  ada = await t.user('ada');
  ben = await t.user('ben');
});
afterAll(() => t.close());

async function deploy(user: TestUser, name: string, version = '1.0.0'): Promise<string> {
  const source = await tarball(greeterFiles(name, version));
  const parts = async function* () {
    yield { kind: 'file' as const, name: 'source', stream: Readable.from(source, { objectMode: false }) };
  };
  return (await acceptTarball(user, parts())).deploy_id;
}

const built = (deployId: string) => advance(t.ctx, deployId, 'building', 'starting', { image: 'sha256:1', image_bytes: 1 });
const cancelled = (deployId: string) => endDeployment(t.ctx, deployId, 'cancelled', { code: 'cancelled', message: 'by the test' });
async function places(deployId: string): Promise<unknown[]> {
  const { job_id } = (await t.ctx.db('deployments').where({ deploy_id: deployId }).first('job_id')) ?? { job_id: '' };
  const events = await t.ctx.db('job_events').where({ job_id, kind: 'waiting' }).orderBy('seq').select('payload');
  return events.map(({ payload }) => payload);
}

test('one owner with many builds does not keep another one waiting; who waits hears its place, once for each', async () => {
  const [a1, a2, a3] = [await deploy(ada, 'a1'), await deploy(ada, 'a2'), await deploy(ada, 'a3')];
  expect(await dequeueDeployment(t.ctx, a1)).toBe('moved');
  const b1 = await deploy(ben, 'b1');
  for (const id of [a2, a3, b1, a3]) expect(await dequeueDeployment(t.ctx, id)).toBe('wait');
  expect(await places(b1)).toEqual([{ place: 1, own_before: 0, seconds: null }]);
  expect(await places(a3)).toEqual([{ place: null, own_before: 2, seconds: null }]);
  expect(await built(a1)).toBe('moved');
  // All that wait are woken; only the first one builds.
  const woken = await t.ctx.db('outbox').where({ kind: 'signal', name: 'turn' }).pluck('workflow_id');
  expect(woken).toEqual(expect.arrayContaining([a2, a3, b1].map((id) => `deploy:${id}`)));
  const outcomes = await Promise.all([a2, a3, b1].map((id) => dequeueDeployment(t.ctx, id)));
  expect(outcomes).toEqual(['wait', 'wait', 'moved']);
  await built(b1);
  expect(await dequeueDeployment(t.ctx, a3)).toBe('wait');
  expect(await dequeueDeployment(t.ctx, a2)).toBe('moved');
  await cancelled(a2);
  expect(await dequeueDeployment(t.ctx, a3)).toBe('moved');
  await cancelled(a3);
});

test('a restart builds nothing and waits for no builder', async () => {
  const busy = await deploy(ada, 'busy');
  expect(await dequeueDeployment(t.ctx, busy)).toBe('moved');
  const restart = await deploy(ben, 'restarted');
  await t.ctx.db('deployments').where({ deploy_id: restart }).update({ image: 'sha256:2' });
  expect(await dequeueDeployment(t.ctx, restart)).toBe('moved');
  await cancelled(busy);
});

test('a restart whose image is elsewhere asks the engine when it is its turn, not while it waits', async () => {
  const [older, restart] = [await deploy(ada, 'again'), await deploy(ada, 'again', '2.0.0')];
  await t.ctx.db('deployments').where({ deploy_id: restart }).update({ image: 'sha256:3' });
  await t.ctx.db('node_images').insert({ image: 'sha256:3', node: 'other' });
  const asked: string[] = [];
  const backlog = { waiting: 0, oldest_seconds: 0, workers: 1 };
  const queue = async (name: string) => (asked.push(name), { name, workflows: backlog, activities: backlog });
  const ctx = { ...t.ctx, drivers: { ...t.ctx.drivers, workflows: { ...t.ctx.drivers.workflows, queue } } };
  for (const _ of [1, 2, 3]) expect(await dequeueDeployment(ctx, restart, 1, 'here')).toBe('wait');
  expect(asked).toEqual([]);
  await cancelled(older);
  expect(await dequeueDeployment(ctx, restart, 1, 'here')).toBe('moved');
  expect(asked).toEqual(['runtime:other']);
  await cancelled(restart);
});

test("as many are built at once as the operator says; an agent's second build waits for its first without a place", async () => {
  const ids = [await deploy(ada, 'p1'), await deploy(ada, 'p2'), await deploy(ada, 'p3')];
  const second = await deploy(ada, 'p1', '2.0.0');
  const outcomes = [];
  for (const id of [...ids, second]) outcomes.push(await dequeueDeployment(t.ctx, id, 2));
  expect(outcomes).toEqual(['moved', 'moved', 'wait', 'wait']);
  expect(await places(second)).toEqual([]);
  for (const id of [...ids, second]) await cancelled(id);
});

test('what came first is built first, whoever deployed less before; a place never rises, and is told with how long it takes', async () => {
  const users = [ada, ben, await t.user('eve'), await t.user('dan')];
  const [first = '', ...others] = await Promise.all(users.map((user, index) => deploy(user, `q${index}`)));
  const rest = [];
  for (const [index, user] of users.entries()) rest.push(await deploy(user, `r${index}`), await deploy(user, `s${index}`));
  const waiting = new Set([first, ...others, ...rest]);
  const told = new Map<string, number[]>();
  const built: string[] = [];
  const look = async (): Promise<void> => {
    for (const id of waiting) if ((await dequeueDeployment(t.ctx, id)) === 'moved') built.push(id);
    for (const id of built) waiting.delete(id);
  };
  let late: string | undefined;
  while (waiting.size > 0) {
    await look();
    for (const id of waiting)
      told.set(
        id,
        (await placesOf(id)).flatMap(({ place }) => (place === null ? [] : [place])),
      );
    for (const [id, places] of told) expect(places, id).toEqual(places.toSorted((a, b) => b - a));
    await advance(t.ctx, built.at(-1) ?? '', 'building', 'starting', { image: `sha256:${built.length}`, image_bytes: 1 });
    await endDeployment(t.ctx, built.at(-1) ?? '', 'cancelled', { code: 'cancelled', message: 'by the test' });
    // Somebody who never deployed comes in the middle: at the end of the accounts that wait, before what they
    // have behind.
    if (built.length === 2) {
      late = await deploy(await t.user('zoe'), 'zoes');
      waiting.add(late);
    }
  }
  const owners = await Promise.all(built.map(async (id) => (await t.ctx.db('deployments').where({ deploy_id: id }).first('created_by'))?.created_by));
  const names = owners.map((id) => ['ada', 'ben', 'eve', 'dan'][users.findIndex(({ actor }) => actor.user_id === id)] ?? 'zoe');
  expect(new Set(names.slice(0, 4)).size).toBe(4);
  expect(names.indexOf('zoe')).toBeLessThanOrEqual(6);
  expect(await placesOf(late ?? '')).toContainEqual({ place: expect.any(Number), own_before: 0, seconds: expect.any(Number) });
});

async function placesOf(deployId: string): Promise<BuildLine[]> {
  return (await places(deployId)).map((payload) => BuildLine.parse(payload));
}
