// What one process believes of the accounts' policies while another one changes them.
import { afterEach, expect, test, vi } from 'vitest';
import { testContext } from '#test/support/context.ts';
import { setPolicy } from '../overview/control-room/set-policy.ts';
import { anyPolicies, policyOf } from './known.ts';

afterEach(() => void vi.restoreAllMocks());

test.each([
  ['that there are any', async (db: Parameters<typeof anyPolicies>[0]) => anyPolicies(db)],
  ['that of an account', async (db: Parameters<typeof policyOf>[0], user: string) => (await policyOf(db, user)) !== undefined],
])('another process knows %s once the second is over for which it believes what it knew', async (_what, knows) => {
  const here = await testContext();
  const elsewhere = await testContext({ databaseUrl: here.databaseUrl });
  const ada = await here.user('ada');
  expect(await knows(elsewhere.ctx.db, ada.actor.user_id)).toBe(false);
  await setPolicy(ada, { only_approved_agents: true });
  const now = performance.now();
  vi.spyOn(performance, 'now').mockImplementation(() => now + 1_500);
  expect(await knows(elsewhere.ctx.db, ada.actor.user_id)).toBe(true);
  await elsewhere.close();
  await here.close();
});
