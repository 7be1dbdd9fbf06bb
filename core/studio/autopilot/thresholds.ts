// From where on something is proposed. Each has a least count, so that a few calls propose nothing.
import type { FindingSeverity } from '#contract/states.ts';

export const AUTOPILOT_DAY_MS = 86_400_000;

/** Of one look; the most called ones. */
export const MOST_AGENTS = 200;
/** Receipts or runs that are named for one proposal. */
export const MOST_EVIDENCE = 5;
/** Findings or advisories that are. */
export const MOST_NAMED = 10;
/** Of one agent, newest first, among which evidence is looked for. */
export const MOST_LOOKED_THROUGH = 2_000;

/** Whole days in UTC, today among them, are compared with as many before. */
export const WINDOW_DAYS = 7;
/** An open proposal expires after it. */
export const PROPOSAL_DAYS = 14;
/** So long the same is not proposed again, unless it is worse by then. */
export const QUIET_DAYS = { rejected: 30, accepted: 14 } as const;

export const FAILURES = {
  leastCalls: 20,
  leastFailed: 5,
  /** Of all calls but those that were cancelled or were the caller's fault. */
  leastShare: 0.1,
  /** Of the share before. */
  growth: 2,
  /** Where there were fewer than `leastCalls` before. */
  shareWithoutBefore: 0.3,
  criticalShare: 0.5,
} as const;

export const LATENCY = {
  /** That went well, in each window. */
  leastCalls: 50,
  growth: 2,
  leastMs: 500,
  criticalGrowth: 5,
} as const;

/** In micro-dollars that the account paid for runs with a language model. */
export const COST = {
  leastRuns: 20,
  growth: 1.5,
  leastSpent: 1_000_000,
  criticalGrowth: 4,
  /** Of one run, whatever it was before. */
  highPerRun: 500_000,
  leastRunsForHigh: 10,
} as const;

export const LOCK_DAYS = 180;
export const OLD_FINDING_DAYS = 30;
export const UNUSED_DAYS = 30;
export const DRIFT = {
  /** So long a version has been live while its source went on. */
  leastHours: 24,
  warningDays: 14,
} as const;

const RANKS: Record<FindingSeverity, number> = { info: 0, warning: 1, critical: 2 };
export const isWorse = (one: FindingSeverity, than: FindingSeverity): boolean => RANKS[one] > RANKS[than];
