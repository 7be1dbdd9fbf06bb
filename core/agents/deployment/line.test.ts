import { Readable } from 'node:stream';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { testContext, type TestContext, type TestUser } from '#test/support/context.ts';
import { greeterFiles, tarball } from '#test/support/project.ts';
import { acceptTarball } from './accept.ts';
import { advance, endDeployment, takeTurn } from './stages.ts';

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
  expect(await takeTurn(t.ctx, a1)).toBe('moved');
  const b1 = await deploy(ben, 'b1');
  for (const id of [a2, a3, b1, a3]) expect(await takeTurn(t.ctx, id)).toBe('wait');
  expect(await places(b1)).toEqual([{ place: 1 }]);
  expect(await places(a3)).toEqual([{ place: 3 }]);
  expect(await built(a1)).toBe('moved');
  // All that wait are woken; only the first one builds.
  const woken = await t.ctx.db('outbox').where({ kind: 'signal', name: 'turn' }).pluck('workflow_id');
  expect(woken).toEqual(expect.arrayContaining([a2, a3, b1].map((id) => `deploy:${id}`)));
  const outcomes = await Promise.all([a2, a3, b1].map((id) => takeTurn(t.ctx, id)));
  expect(outcomes).toEqual(['wait', 'wait', 'moved']);
  await built(b1);
  expect(await takeTurn(t.ctx, a3)).toBe('wait');
  expect(await takeTurn(t.ctx, a2)).toBe('moved');
  await cancelled(a2);
  expect(await takeTurn(t.ctx, a3)).toBe('moved');
  await cancelled(a3);
});

test('a restart builds nothing and waits for no builder', async () => {
  const busy = await deploy(ada, 'busy');
  expect(await takeTurn(t.ctx, busy)).toBe('moved');
  const restart = await deploy(ben, 'restarted');
  await t.ctx.db('deployments').where({ deploy_id: restart }).update({ image: 'sha256:2' });
  expect(await takeTurn(t.ctx, restart)).toBe('moved');
  await cancelled(busy);
});

test("as many are built at once as the operator says; an agent's second build waits for its first without a place", async () => {
  const ids = [await deploy(ada, 'p1'), await deploy(ada, 'p2'), await deploy(ada, 'p3')];
  const second = await deploy(ada, 'p1', '2.0.0');
  const outcomes = [];
  for (const id of [...ids, second]) outcomes.push(await takeTurn(t.ctx, id, 2));
  expect(outcomes).toEqual(['moved', 'moved', 'wait', 'wait']);
  expect(await places(second)).toEqual([]);
});
