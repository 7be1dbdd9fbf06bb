import { expect, test } from 'vitest';
import { isNewSession, isProven, PROOF_MS } from './proof.ts';

test('it counts for a while', () => {
  expect(isProven(undefined, 0)).toBe(false);
  expect(isProven(1_000, 1_000 + PROOF_MS - 1)).toBe(true);
  expect(isProven(1_000, 1_000 + PROOF_MS)).toBe(false);
});

test('only a session that is newer than the one before shows a sign-in', () => {
  const [earlier, later] = ['2026-11-01T00:00:00Z', '2026-11-02T00:00:00Z'];
  expect(isNewSession(earlier, later)).toBe(true);
  expect(isNewSession('', later)).toBe(true);
  expect(isNewSession(earlier, earlier)).toBe(false);
  expect(isNewSession(null, later)).toBe(false);
  expect(isNewSession(earlier, null)).toBe(false);
});
