import { expect, test } from 'vitest';
import { REVIEW_DAYS, TRUST_TABLE, type TrustFacts, trustOf } from './trust.ts';

const DAY = 86_400_000;
const NOW = 1_000 * DAY;
const PROOF_DAYS = 30;
const nothing: TrustFacts = {
  now: NOW,
  proofDays: PROOF_DAYS,
  live: NOW - 10 * DAY,
  review: null,
  critical: null,
  warned: null,
  brokeClaim: null,
  proof: null,
  provedBefore: false,
  checkedBefore: false,
};
const passed = { passed: true, at: NOW - DAY };
const failed = { passed: false, at: NOW - DAY };
const reviewed = { state: 'passed', at: NOW - DAY } as const;

/** For each row of the table: what makes it the first that holds. */
const CASES: Record<string, [state: string, facts: Partial<TrustFacts>][]> = {
  not_live: [
    ['unknown', { live: null }],
    ['unknown', { live: null, critical: NOW, proof: passed }],
  ],
  critical_unanswered: [
    ['blocked', { critical: NOW - 5 * DAY }],
    // A proof erases no finding, whichever is later.
    ['blocked', { critical: NOW, proof: passed, review: reviewed }],
    ['blocked', { critical: NOW - 5 * DAY, proof: { passed: true, at: NOW }, review: reviewed }],
    ['blocked', { critical: NOW, proof: failed, provedBefore: true }],
  ],
  proof_regressed: [['regressed', { proof: failed, provedBefore: true, review: reviewed }]],
  proof_failed: [['warning', { proof: failed, review: reviewed }]],
  warning_unanswered: [['warning', { warned: NOW, proof: passed }]],
  claim_broken: [
    ['warning', { brokeClaim: NOW, proof: passed, review: reviewed }],
    ['warning', { brokeClaim: NOW - DAY }],
  ],
  review_failed: [['warning', { review: { state: 'failed', at: NOW }, proof: passed }]],
  review_warning: [['warning', { review: { state: 'warning', at: NOW }, proof: passed }]],
  proof_old: [['stale', { proof: { passed: true, at: NOW - (PROOF_DAYS + 1) * DAY }, review: reviewed }]],
  proof_passed: [
    ['proofed', { proof: passed }],
    ['proofed', { proof: { passed: true, at: NOW - (PROOF_DAYS - 1) * DAY }, review: { state: 'errored', at: NOW }, checkedBefore: true }],
  ],
  review_old: [['stale', { review: { state: 'passed', at: NOW - (REVIEW_DAYS + 1) * DAY } }]],
  review_passed: [['reviewed', { review: reviewed, checkedBefore: true }]],
  earlier_version_checked: [
    ['stale', { checkedBefore: true }],
    ['stale', { checkedBefore: true, review: { state: 'errored', at: NOW } }],
  ],
  never_checked: [
    ['unproven', {}],
    ['unproven', { review: { state: 'errored', at: NOW } }],
    ['unproven', { review: { state: 'skipped', at: NOW } }],
  ],
};

test.each(Object.entries(CASES).flatMap(([code, cases]) => cases.map(([state, facts], at) => [`${code} ${at + 1}`, code, state, facts] as const)))(
  '%s',
  (_, code, state, facts) => expect(trustOf({ ...nothing, ...facts })).toMatchObject({ code, state }),
);

test('every row of the table has a case', () => expect(TRUST_TABLE.map(({ row }) => row)).toEqual(Object.keys(CASES)));
