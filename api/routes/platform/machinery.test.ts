// Queues, open work, machines and disk, only for operators; a part that does not answer holds up nothing.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createClient } from '#contract/client.ts';
import { MachineryOut } from '#contract/platform/machinery.ts';
import { createJob } from '#core/jobs/create.ts';
import { inTx } from '#core/kernel/tx.ts';
import { createWorld, type Who, type World } from '#test/api/world.ts';

let world: World;
beforeAll(async () => {
  world = await createWorld({ serving: true });
});
afterAll(() => world.close());

const ask = (who: Who) => createClient({ baseUrl: world.url, token: world.tokens[who] }).machinery.get();

test('an operator sees what is open now', async () => {
  const before = await ask('operator');
  expect(MachineryOut.parse(before)).toEqual(before);
  const owner = (await world.as('ada').auth.session()).user?.user_id ?? '';
  await inTx(world.ctx, (ctx) => createJob(ctx, { kind: 'review', title: 'A review', ownerId: owner }));
  const after = await ask('operator');
  const queued = ({ jobs }: typeof after): number => jobs.find(({ kind, state }) => kind === 'review' && state === 'queued')?.count ?? 0;
  expect(queued(after)).toBe(queued(before) + 1);
  expect(after.waits.open).toBeGreaterThan(0);
  expect(after.disk?.free_bytes).toBeLessThanOrEqual(after.disk?.total_bytes ?? 0);
  expect(after.database_bytes).toBeGreaterThan(1_000_000);
});

test('an engine that does not answer is said to, and holds up nothing else', async () => {
  const { queues, database_bytes: bytes } = await ask('operator');
  expect([queues, bytes > 0]).toEqual([null, true]);
});

test('other callers are refused', async () => {
  for (const who of ['ada', 'ben'] as const) await expect(ask(who)).rejects.toMatchObject({ status: 403 });
});
