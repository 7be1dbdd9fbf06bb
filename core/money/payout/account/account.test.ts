// Accounts of creators at the processor for test money: what changes there arrives as an event, signed as a
// real one.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { testContext, type TestContext, type TestUser } from '#test/support/context.ts';
import { deliverTestEvents } from '../../test-money/deliver.ts';
import { openPayoutAccount } from './open.ts';

let t: TestContext;
let ada: TestUser;
beforeAll(async () => {
  t = await testContext();
  ada = await t.user('ada');
});
afterAll(() => t.close());

test('what the processor learns of a creator is known here when its event arrives, and not before', async () => {
  expect(await openPayoutAccount(ada, {})).toMatchObject({ state: 'incomplete' });
  const row = () => t.ctx.db('payout_accounts').where({ user_id: ada.actor.user_id }).first();
  const known = await row();
  await t.ctx.drivers.payments?.testPages?.fillAccount(known?.processor_id ?? '', 'complete');
  expect(await row()).toMatchObject({ payouts_enabled: false });
  await deliverTestEvents({ ...t.ctx, actor: { kind: 'anonymous' } });
  expect(await row()).toMatchObject({ payouts_enabled: true, details_submitted: true, requirements: [] });
});
