// A creator as they stand after a run that paid them: real money in the ledger, receipts that are really
// sealed, a statement that is really signed.
import type { Ctx } from '#core/kernel/ctx.ts';
import { newId } from '#core/kernel/ids.ts';
import { accrue } from '#core/money/payout/accrue/accrue.ts';
import { moveLines } from '#core/money/payout/advance.ts';
import { endPayoutRun, payNext } from '#core/money/payout/run/next.ts';
import { takeDue } from '#core/money/payout/run/take.ts';
import { charge, fund } from '#core/money/payout/test/money.ts';
import { processorOf, testProcessor } from './processor.ts';
import { addAgent, addUser, type TestAgent } from './verbs.ts';

export interface PaidCreator {
  run_id: string;
  agent: TestAgent;
  payer: string;
}

const CREDIT = 1_000_000;

/** A processor of test money: its pages are filled in without a browser. */
function takesForms(pages: unknown): pages is { fillAccount(id: string, how: 'complete'): Promise<unknown> } {
  return typeof pages === 'object' && pages !== null && 'fillAccount' in pages;
}

/** One run paid them 32 credits for four calls; of one more call they are owed nothing yet. */
export async function addPaidCreator(platform: Ctx, userId: string): Promise<PaidCreator> {
  const payments = platform.drivers.payments ?? testProcessor().payments;
  const ctx: Ctx = { ...platform, drivers: { ...platform.drivers, payments } };
  const { db } = ctx;
  const payer = await addUser(db, 'payer');
  const agent = await addAgent(db, userId);
  const account = await payments.createAccount({ accountId: userId, email: '', key: userId });
  processorOf(payments)?.enable(userId);
  if ('testPages' in payments && takesForms(payments.testPages)) await payments.testPages.fillAccount(account.id, 'complete');
  const now = new Date();
  await db('payout_accounts').insert({ user_id: userId, processor_id: account.id, details_submitted: true, payouts_enabled: true, requirements: [], created_at: now, checked_at: now }); // prettier-ignore
  await fund(ctx, 'top_up', payer, 100 * CREDIT);
  const call = () => charge(ctx, { payer, creator: userId, agent, micros: 10 * CREDIT, share: 8 * CREDIT });
  for (let n = 0; n < 4; n += 1) await call();
  await accrue(ctx);
  await moveLines(ctx);
  await db('payout_lines').where({ creator_id: userId, state: 'held' }).update({ hold_until: now });
  await moveLines(ctx);
  const run_id = newId('por');
  await db('payout_runs').insert({ run_id, key: run_id, state: 'running', created_at: now });
  while (await takeDue(ctx, run_id));
  while (await payNext(ctx, run_id));
  await endPayoutRun(ctx, run_id);
  await call();
  await accrue(ctx);
  await moveLines(ctx);
  return { run_id, agent, payer };
}
