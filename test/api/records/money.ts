// Ways to language models, bounties, and what is paid with test money.
import { newId } from '#core/kernel/ids.ts';
import type { BountiesRow } from '#db/tables.ts';
import { addPaidCreator } from '../../support/payouts.ts';
import { addUser } from '../../support/verbs.ts';
import { checkOutPlan } from '#core/money/billing/check-out.ts';
import { openPayoutAccount } from '#core/money/payout/account/open.ts';
import { openPortal } from '#core/money/billing/portal.ts';
import { checkOutCredits } from '#core/money/credits/check-out.ts';
import { deliverTestEvents } from '#core/money/test-money/deliver.ts';
import { signedTestEvent } from '../../support/test-money.ts';
import type { AreaRecords, Owner } from './area.ts';

export async function moneyRecords(owner: Owner): Promise<AreaRecords> {
  const other = await addUser(owner.ctx.db, 'poster');
  const { run_id } = await addPaidCreator(owner.ctx, owner.userId);
  // The same run for both: there is one at a time.
  const settled = { body: { user_id: owner.userId, key: 'records' } };
  const claimed = { state: 'claimed' as const, agent_id: owner.agent.id, claimed_by: other, claimed_at: new Date() };
  const pages = await payWithTestMoney(owner);
  return {
    params: {
      ...pages,
      slug: await addBounty(owner, {}),
      'payouts.statement.run_id': run_id,
      'payouts.receipts.run_id': run_id,
      'bounties.cancel.slug': await addBounty(owner, {}),
      'bounties.claim.slug': await addBounty(owner, { poster_id: other }),
      'bounties.fulfill.slug': await addBounty(owner, claimed),
    },
    calls: {
      'billing.webhook': await signedTestEvent(owner.ctx, { id: newId('job'), type: 'nothing' }),
      'billing.cancel': { body: {} },
      'billing.checkout': { body: { plan: 'pro' } },
      'credits.checkout': { body: { amount_cents: 2_000 } },
      'llmCreds.put': { body: { name: 'main', provider: 'openai', api_key: 'sk-example-0123456789' } },
      'bounties.post': { body: { title: 'Read invoices', description: 'From photos.', tags: ['invoices'] } },
      'payouts.settle': settled,
      'payoutsAdmin.settle': settled,
      'payouts.openAccount': { body: {} },
      'bounties.claim': { body: { agent: owner.agent.name } },
    },
  };
}

/** A plan without limits of its own, credits that were paid in, and pages that are open. */
async function payWithTestMoney({ ctx }: Owner): Promise<Record<string, string>> {
  const pages = ctx.drivers.payments?.testPages;
  if (!pages) throw new Error('the suites take test money');
  const facts = { name: 'Basic', description: 'For the suites.', price_cents: 100, max_seats: 5, included_micros: 0, limits: '{}', position: 9, offered: true };
  await ctx
    .db('plans')
    .insert({ plan: 'basic', ...facts, version: 0 })
    .onConflict('plan')
    .ignore();
  const idOf = ({ url }: { url: string }): string => new URL(url).pathname.split('/').at(-1) ?? '';
  await pages.finishCheckout(idOf(await checkOutPlan(ctx, { plan: 'basic', seats: 1 })), 'pay');
  await pages.finishCheckout(idOf(await checkOutCredits(ctx, { amount_cents: 5_000 })), 'pay');
  await deliverTestEvents(ctx);
  const open = await checkOutCredits(ctx, { amount_cents: 1_000 });
  const portal = idOf(await openPortal(ctx));
  const page = idOf(await openPayoutAccount(ctx, {}));
  return {
    'testMoney.checkout.page_id': idOf(open),
    'testMoney.finishCheckout.page_id': idOf(await checkOutCredits(ctx, { amount_cents: 1_000 })),
    'testMoney.portal.page_id': portal,
    'testMoney.usePortal.page_id': portal,
    'testMoney.account.page_id': page,
    'testMoney.fillAccount.page_id': page,
  };
}

async function addBounty({ ctx, userId }: Owner, more: Partial<BountiesRow>): Promise<string> {
  const bounty_id = newId('bty');
  const slug = `read-invoices-${bounty_id.slice(-12)}`;
  const words = { title: 'Read invoices', description: 'From **photos**.', tags: ['invoices'] };
  const examples = { example_input: '{"photo": "invoice.jpg"}', example_output: '{"total": 12.5}' };
  const row = { bounty_id, slug, poster_id: userId, ...words, reward_micros: 0, require_proof: false, state: 'open' as const, created_at: new Date() };
  await ctx.db('bounties').insert({ ...row, ...more, ...examples });
  return slug;
}
