// The figures of the home page on a real database: counted or not, they are those of the receipts.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { testContext, type TestContext, type TestUser } from '#test/support/context.ts';
import { addAgent } from '#test/support/verbs.ts';
import { countCalls } from '../../evidence/insights/count-calls.ts';
import { fillReceipts } from '../../evidence/test/fill.ts';
import { accountOverview } from './read.ts';

let t: TestContext;
let ada: TestUser;
let ben: TestUser;
beforeAll(async () => {
  t = await testContext();
  [ada, ben] = [await t.user('ada'), await t.user('ben')];
});
afterAll(() => t.close());

test('calls of all agents of the account, none of others, by hour and by day; the same before and after they are counted', async () => {
  const until = new Date(t.ctx.clock()).toISOString();
  for (const [owner, count] of [
    [ada, 30],
    [ada, 20],
    [ben, 5],
  ] as const) {
    const agent = await addAgent(t.ctx.db, owner.actor.user_id, { live: true, visibility: 'public' });
    await fillReceipts(t.ctx.db, { agentId: agent.id, deployId: null, callers: [ada.actor.user_id, null], count, everySeconds: 600, until });
  }
  const { rows } = await t.ctx.db.raw<{ rows: [{ failed: number }] }>(
    `select count(*)::int as failed from receipts r join agents a using (agent_id) where a.owner_id = :owner and r.status = 'error'`,
    { owner: ada.actor.user_id },
  );
  const before = await accountOverview(ada, { window: '24h' });
  expect(before.totals).toMatchObject({ calls: 50, failed: rows[0].failed, cost_micros: 0 });
  expect(before.series).toHaveLength(24);
  expect(before.series.reduce((sum, { calls }) => sum + calls, 0)).toBe(50);
  expect(before.totals.p95_ms).toBeGreaterThanOrEqual(before.totals.p50_ms ?? Infinity);
  await countCalls(t.ctx);
  expect(await accountOverview(ada, { window: '24h' })).toEqual(before);
  expect((await accountOverview(ada, { window: '30d' })).totals).toMatchObject({ calls: 50, failed: rows[0].failed });
  expect((await accountOverview(ben, { window: '7d' })).totals.calls).toBe(5);
});
