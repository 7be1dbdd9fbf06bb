import { expect, test } from 'vitest';
import { flag, list, number, oneOf, text } from './search.ts';

test('what fits is read, and anything else is as if it were not there', () => {
  const search = { agent: 'demo', n: 5, tab: 'events', on: true, kinds: ['a', 'a', 7, 'b'], bad: { a: 1 } };
  expect([text(search, 'agent'), text(search, 'n'), text(search, 'bad'), text(search, 'none')]).toEqual(['demo', '5', undefined, undefined]);
  expect([oneOf(search, 'tab', ['events']), oneOf(search, 'tab', ['files'])]).toEqual(['events', undefined]);
  expect([number(search, 'n'), number(search, 'agent'), number({ n: Number.NaN }, 'n')]).toEqual([5, undefined, undefined]);
  expect([flag(search, 'on'), flag({ on: 'true' }, 'on')]).toEqual([true, undefined]);
  expect([list(search, 'kinds'), list(search, 'agent')]).toEqual([['a', 'b'], undefined]);
  expect(text({ long: 'x'.repeat(1_000) }, 'long')).toHaveLength(200);
});
