// The verdict on an agent's evidence in one word. The first row of the table that holds decides; it is pure,
// and a test goes through every row.
import type { TrustState } from '#contract/states.ts';

const DAY = 86_400_000;
/** A review of the same source changes only with the rules. */
export const REVIEW_DAYS = 180;

/** Times are milliseconds since the epoch. */
export interface TrustFacts {
  now: number;
  /** After so many days a proof is stale: the setting proof_max_age_days. */
  proofDays: number;
  /** When the live version went live. */
  live: number | null;
  /** Of the live version; only one that has ended. */
  review: { state: 'passed' | 'warning' | 'failed' | 'errored' | 'skipped'; at: number } | null;
  /** The newest critical finding that is believed and has no answer, of any version. */
  critical: number | null;
  /** The newest warning that is believed and has no answer. */
  warned: number | null;
  /** When a skill of the live version did what its card says it does not: the newest calls are looked at. */
  brokeClaim: number | null;
  /** The newest proof of the live version that has ended. */
  proof: { passed: boolean; at: number } | null;
  /** A proof passed before that one, of this version or another. */
  provedBefore: boolean;
  /** Another version was reviewed or proved. */
  checkedBefore: boolean;
}

export interface Trust {
  state: TrustState;
  code: string;
  reason: string;
  /** Of what decided. */
  at: number | null;
}

interface TrustRow {
  /** What the answer calls `code`. */
  row: string;
  state: TrustState;
  reason: string;
  holds(facts: TrustFacts): boolean;
  at(facts: TrustFacts): number | null;
}

const older = ({ now }: TrustFacts, at: number, days: number): boolean => now - at > days * DAY;
const ofProof = ({ proof }: TrustFacts): number | null => proof?.at ?? null;
const ofReview = ({ review }: TrustFacts): number | null => review?.at ?? null;
const none = (): null => null;

/** What blocks comes before what passed: no proof outweighs an open finding. */
export const TRUST_TABLE: readonly TrustRow[] = [
  { row: 'not_live', state: 'unknown', reason: 'No version is live.', holds: ({ live }) => live === null, at: none },
  {
    row: 'critical_unanswered',
    state: 'blocked',
    reason: 'A critical finding has no answer yet.',
    holds: ({ critical }) => critical !== null,
    at: ({ critical }) => critical,
  },
  {
    row: 'proof_regressed',
    state: 'regressed',
    reason: 'The newest proof failed; an earlier one had passed.',
    holds: ({ proof, provedBefore }) => proof?.passed === false && provedBefore,
    at: ofProof,
  },
  {
    row: 'proof_failed',
    state: 'warning',
    reason: 'The newest proof of the live version failed.',
    holds: ({ proof }) => proof?.passed === false,
    at: ofProof,
  },
  { row: 'warning_unanswered', state: 'warning', reason: 'A warning has no answer yet.', holds: ({ warned }) => warned !== null, at: ({ warned }) => warned },
  {
    row: 'claim_broken',
    state: 'warning',
    reason: 'A skill of the live version did what its card says it does not do.',
    holds: ({ brokeClaim }) => brokeClaim !== null,
    at: ({ brokeClaim }) => brokeClaim,
  },
  {
    row: 'review_failed',
    state: 'warning',
    reason: 'The review of the live version failed; its critical findings were answered.',
    holds: ({ review }) => review?.state === 'failed',
    at: ofReview,
  },
  {
    row: 'review_warning',
    state: 'warning',
    reason: 'The review of the live version has warnings.',
    holds: ({ review }) => review?.state === 'warning',
    at: ofReview,
  },
  {
    row: 'proof_old',
    state: 'stale',
    reason: 'The newest proof of the live version is older than this installation lets a proof be.',
    holds: (facts) => facts.proof?.passed === true && older(facts, facts.proof.at, facts.proofDays),
    at: ofProof,
  },
  {
    row: 'proof_passed',
    state: 'proofed',
    reason: 'The platform performed a skill of the live version, and it did what it declares.',
    holds: ({ proof }) => proof?.passed === true,
    at: ofProof,
  },
  {
    row: 'review_old',
    state: 'stale',
    reason: `The review of the live version is older than ${REVIEW_DAYS} days.`,
    holds: (facts) => facts.review?.state === 'passed' && older(facts, facts.review.at, REVIEW_DAYS),
    at: ofReview,
  },
  {
    row: 'review_passed',
    state: 'reviewed',
    reason: 'The review of the live version found nothing. No proof of it was made.',
    holds: ({ review }) => review?.state === 'passed',
    at: ofReview,
  },
  {
    row: 'earlier_version_checked',
    state: 'stale',
    reason: 'An earlier version was checked; the live one was not.',
    holds: ({ checkedBefore }) => checkedBefore,
    at: none,
  },
  { row: 'never_checked', state: 'unproven', reason: 'No version of it was checked.', holds: () => true, at: none },
];

export function trustOf(facts: TrustFacts): Trust {
  const trustRow = TRUST_TABLE.find(({ holds }) => holds(facts));
  if (!trustRow) throw new Error('the last row of the table holds always');
  return { state: trustRow.state, code: trustRow.row, reason: trustRow.reason, at: trustRow.at(facts) };
}
