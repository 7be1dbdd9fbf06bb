import { expect, test } from 'vitest';
import { inOrder } from './waits.ts';

test('each wait once, what ends soonest first', () => {
  const wait = (wait_id: string, minute: string) => ({ wait_id, expires_at: `2026-11-25T00:${minute}:00.000Z` });
  expect(inOrder([wait('b', '05'), wait('c', '01'), wait('a', '05'), wait('c', '01')]).map(({ wait_id }) => wait_id)).toEqual(['c', 'a', 'b']);
});
