// Every activity has its queue in one table, workflows take their activities from it alone, and what is
// scheduled where a worker may be gone says how long it may wait for one.
// reads: activities/ worker/ workflows/
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createActivities } from '#activities/index.ts';
import { activities, placeOf, PLACES } from '#workflows/queues.ts';
import { testContext, type TestContext } from '#test/support/context.ts';

let t: TestContext;
beforeAll(async () => void (t = await testContext()));
afterAll(() => t.close());

test('each activity that workers register has one place, and no other name has one', () => {
  const registered = createActivities(t.ctx, { node: 'local', retention: { archiveAfterDays: 30, removeAfterDays: 365 } });
  expect(Object.keys(PLACES).sort()).toEqual(Object.keys(registered).sort());
  expect([placeOf('takeTurn')?.queue, placeOf('advanceTrial'), placeOf('toString')]).toEqual(['control', { queue: 'long-work', failures: 20 }, undefined]);
});

test('workflows name no queue of their own and take no activity past the table', async () => {
  const folder = fileURLToPath(new URL('../../workflows', import.meta.url));
  const names = (await readdir(folder)).filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts') && name !== 'queues.ts');
  expect(names.length).toBeGreaterThan(25);
  for (const name of names) expect(await readFile(join(folder, name), 'utf8'), name).not.toMatch(/proxyActivities|taskQueue|maximumAttempts/);
});

test('a build without a limit of its wait for a worker is refused, and so is work of a host that names none', () => {
  const proxy = activities<ReturnType<typeof createActivities>>({ startToCloseTimeout: '1m' });
  expect(() => proxy.buildImage).toThrow(/scheduleToStartTimeout/);
  expect(() => proxy.startInstance).toThrow(/hostActivities/);
  expect(proxy.takeTurn).toBeTypeOf('function');
});

test('heartbeats carry the count of attempts: only one place sends them', async () => {
  const root = fileURLToPath(new URL('../..', import.meta.url));
  for (const folder of ['activities', 'worker']) {
    const names = (await readdir(join(root, folder), { recursive: true })).filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'));
    for (const name of names) {
      if (join(folder, name) === 'activities/attempts.ts') continue;
      expect(await readFile(join(root, folder, name), 'utf8'), name).not.toMatch(
        /import \{[^}]*\bheartbeat\b[^}]*\} from '@temporalio\/activity'|\.heartbeat\(/,
      );
    }
  }
});
