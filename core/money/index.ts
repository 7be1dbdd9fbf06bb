// What processes run of this area.
import { type CalendarRound, DAY_SECONDS, HOUR_SECONDS } from '../kernel/calendar.ts';
import type { AreaLoop } from '../kernel/loop.ts';
import { startAgain, type WorkflowOwners } from '../kernel/lost-workflow.ts';
import { sweepCharges } from './charge/sweep.ts';
import { dun, resendDunning } from './billing/dunning.ts';
import { endSubscriptions } from './billing/end.ts';
import { lookAtCheckouts } from './billing/look.ts';
import { writeUsageInvoices } from './billing/usage-invoices.ts';
import { collectOwed } from './credits/recover.ts';
import { requireSoundLedger } from './ledger/audit-ledger.ts';
import { releaseExpired } from './ledger/hold.ts';
import { sweepLimits } from './llm/limits.ts';
import { sweepUses } from './llm/meter.ts';
import { advancePayouts } from './payout/advance.ts';
import { sendNotices } from './payout/notices.ts';
import { settleNightly } from './payout/run/start.ts';
import { deliverTestEvents, sweepTestMoney, tickTestMoney } from './test-money/deliver.ts';

export const moneyLoops: readonly AreaLoop[] = [
  { name: 'models', everyMs: 300_000, run: (ctx) => sweepUses(ctx) },
  { name: 'model-limits', everyMs: 3_600_000, run: (ctx) => sweepLimits(ctx) },
  { name: 'charges', everyMs: 60_000, run: (ctx) => sweepCharges(ctx) },
  { name: 'payouts', everyMs: 30_000, run: (ctx) => advancePayouts(ctx) },
  { name: 'payout notices', everyMs: 60_000, run: (ctx) => sendNotices(ctx) },
  { name: 'expired holds', everyMs: 60_000, run: (ctx) => releaseExpired(ctx) },
  { name: 'owed credits', everyMs: 60_000, run: (ctx) => collectOwed(ctx) },
  { name: 'checkouts', everyMs: 60_000, run: (ctx) => lookAtCheckouts(ctx) },
  { name: 'subscription ends', everyMs: 60_000, run: (ctx) => endSubscriptions(ctx) },
  { name: 'unpaid plans', everyMs: 600_000, run: (ctx) => dun(ctx).then(() => resendDunning(ctx)) },
  { name: 'test money events', everyMs: 5_000, run: (ctx) => deliverTestEvents(ctx) },
  { name: 'test money months', everyMs: 60_000, run: (ctx) => tickTestMoney(ctx) },
  { name: 'test money records', everyMs: 86_400_000, run: (ctx) => sweepTestMoney(ctx) },
];

export const moneyCalendar: readonly CalendarRound[] = [
  {
    name: 'payout-runs',
    // One run for each day: the first hour in which no other run is under way.
    title: 'begins the payout run of the day',
    calendars: [{ minutes: [5] }],
    catchupWindowSeconds: HOUR_SECONDS,
    run: (ctx) => settleNightly(ctx),
  },
  {
    name: 'usage-invoices',
    title: 'states what the calls of the month before cost each account',
    calendars: [{ minutes: [35] }],
    catchupWindowSeconds: HOUR_SECONDS,
    run: (ctx) => writeUsageInvoices(ctx),
  },
  {
    name: 'ledger-audit',
    title: 'recomputes the ledger from its entries',
    calendars: [{ hours: [4], minutes: [20] }],
    catchupWindowSeconds: DAY_SECONDS,
    run: (ctx) => requireSoundLedger(ctx),
  },
];

/** By type of workflow: what becomes of its work when it is lost. */
export const moneyOwners = { settlePayouts: startAgain } satisfies WorkflowOwners;
