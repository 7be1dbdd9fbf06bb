import { expect, test } from 'vitest';
import { eventWords, verdictOf } from './words.ts';

test('an event reads as one line: its number, what was done, how it came out', () => {
  expect(eventWords({ n: 4, step: 'start_run', outcome: 'refused', code: 'invalid_input', facts: {} })).toBe('4 start run: refused (invalid_input)');
  expect(eventWords({ n: 1, step: 'race', outcome: 'accepted', code: null, facts: { valid_after: 0, parent_valid: false } })).toBe(
    '1 race: accepted, valid after 0, parent valid false',
  );
});

test('a verdict is shown once there is one; what was stopped says so', () => {
  expect(verdictOf({ verdict: null, state: 'running' })).toEqual({ of: 'running', label: 'running' });
  expect(verdictOf({ verdict: 'failed', state: 'succeeded' })).toEqual({ of: 'failed', label: 'failed' });
  expect(verdictOf({ verdict: 'incomplete', state: 'cancelled' })).toEqual({ of: 'warning', label: 'stopped' });
});
