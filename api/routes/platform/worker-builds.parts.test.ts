// Builds of the workflow code, through the API and the tool, on a real Temporal server: who runs which, and
// which one is current.
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { createClient } from '#contract/client.ts';
import { WorkerBuildListOut } from '#contract/platform/worker-builds.ts';
import { wantedBuild } from '#core/platform/worker-build/current.ts';
import { temporalVersions } from '#drivers/workflows/versions.ts';
import { temporalWorkflows } from '#drivers/workflows/temporal.ts';
import { makeTool, type Tool } from '#cli/test/tool.ts';
import { createWorld, type Who, type World } from '#test/api/world.ts';
import { workersOf } from '#test/support/worker-builds.ts';

let world: World;
let tool: Tool;
let stopWorkers: () => Promise<void>;
beforeAll(async () => {
  world = await createWorld({ serving: true });
  tool = await makeTool(world.url, '/nowhere');
  const builds = await workersOf('first', 'second');
  world.ctx.drivers.workflowVersions = builds.versions;
  stopWorkers = builds.stop;
});
afterAll(async () => {
  await stopWorkers();
  await tool.remove();
  await world.close();
});

const as = (who: Who) => createClient({ baseUrl: world.url, token: world.tokens[who] }).workerBuilds;
const set = (build_id: string, who: Who = 'operator') => as(who).setCurrent({ body: { build_id } });
const states = async () => Object.fromEntries((await as('operator').list()).items.map((one) => [one.build_id, [one.current, one.workers]]));

test('an operator sees the builds, and makes one of them current', async () => {
  await vi.waitFor(async () => expect(await states()).toEqual({ first: [false, 1], second: [false, 1] }), { timeout: 20_000, interval: 100 });
  const listed = await as('operator').list();
  expect(WorkerBuildListOut.parse(listed)).toEqual(listed);
  // Temporal may still be registering what it lists.
  const first = await vi.waitFor(() => set('first'), { timeout: 20_000, interval: 200 });
  expect(first).toMatchObject({ build_id: 'first', current: true, current_since: expect.any(String), pinned_workflows: 0 });
  expect(await vi.waitFor(() => set('second'), { timeout: 20_000, interval: 200 })).toMatchObject({ build_id: 'second', current: true });
  expect(await states()).toEqual({ first: [false, 1], second: [true, 1] });
  expect(await wantedBuild(world.ctx.db)).toBe('second');
  const log = await world.ctx.db('audit_log').where({ action: 'worker_build.set_current' }).orderBy('audit_id').select('target_id', 'details');
  expect(log).toEqual([
    { target_id: 'first', details: { from: null, to: 'first' } },
    { target_id: 'second', details: { from: 'first', to: 'second' } },
  ]);
});

test('so with the tool, which names the way back', async () => {
  const svc = (...argv: string[]) => tool.run(['workers', ...argv], { env: { SVC_TOKEN: world.tokens.operator } });
  const set = await svc('set-current', 'first');
  expect([set.code, set.out.trim()], set.err).toEqual([0, 'first is current.']);
  expect(set.err).toContain('workers set-current second');
  const listed = await svc('list');
  expect(listed.out).toMatch(/^BUILD +STATE +WORKERS +PINNED +FIRST SEEN\n/);
  expect(listed.out).toMatch(/^first +current +1 +0 /m);
  expect(listed.out).toMatch(/^second +1 +0 /m);
  expect(JSON.parse((await svc('list', '--json')).out)).toEqual(await as('operator').list());
  expect((await svc('set-current', 'third')).code).not.toBe(0);
  expect((await svc('set-current', 'second')).code).toBe(0);
});

test('a build that no worker has run is refused, with what to do', async () => {
  await expect(set('third')).rejects.toMatchObject({ status: 404, code: 'worker_build_not_found', message: expect.stringContaining('svc workers list') });
});

test('a build that no worker runs any more is refused: nothing could go on', async () => {
  const { workflowVersions } = world.ctx.drivers;
  // The server names a worker that is gone for five minutes more: here it has forgotten this one.
  world.ctx.drivers.workflowVersions = workflowVersions && {
    ...workflowVersions,
    build: async (id) => {
      const one = await workflowVersions.build(id);
      return one && { ...one, workers: 0 };
    },
  };
  await expect(set('first')).rejects.toMatchObject({ status: 409, code: 'worker_build_not_running' });
  expect((await states()).second).toEqual([true, 1]);
  world.ctx.drivers.workflowVersions = workflowVersions;
});

test('while Temporal does not answer, that is said', async () => {
  const { workflowVersions } = world.ctx.drivers;
  const nowhere = temporalWorkflows({ address: '127.0.0.1:1', namespace: 'svc' });
  world.ctx.drivers.workflowVersions = temporalVersions(nowhere.client, 500);
  await expect(as('operator').list()).rejects.toMatchObject({ status: 503, code: 'unavailable' });
  world.ctx.drivers.workflowVersions = workflowVersions;
  await nowhere.close();
});

test('other callers are refused', async () => {
  for (const who of ['ada', 'ben'] as const) {
    await expect(as(who).list()).rejects.toMatchObject({ status: 403 });
    await expect(set('first', who)).rejects.toMatchObject({ status: 403 });
  }
});
