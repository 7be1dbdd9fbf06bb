// A task queue of a real server without workers: waiting tasks are counted, and no poller is reported.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { testTemporal } from '#test/support/servers.ts';
import { temporalWorkflows } from './temporal.ts';

let workflows: ReturnType<typeof temporalWorkflows>;
beforeAll(async () => {
  workflows = temporalWorkflows(await testTemporal());
});
afterAll(() => workflows.close());

test('workflows that no worker takes are its backlog', async () => {
  const name = `queue-${randomUUID()}`;
  expect(await workflows.queue(name)).toEqual({
    name,
    workflows: { waiting: 0, oldest_seconds: 0, workers: 0 },
    activities: { waiting: 0, oldest_seconds: 0, workers: 0 },
  });
  for (const n of [1, 2])
    await workflows.start({
      type: 'nobodyKnows',
      workflowId: `${name}-${n}`,
      taskQueue: name,
      args: [],
      searchAttributes: { SvcKind: 'run', SvcOwner: 'usr_x' },
    });
  await expect.poll(async () => (await workflows.queue(name)).workflows.waiting, { timeout: 20_000 }).toBe(2);
  expect((await workflows.queue(name)).activities.waiting).toBe(0);
  for (const n of [1, 2]) await workflows.client.workflow.getHandle(`${name}-${n}`).terminate();
});
