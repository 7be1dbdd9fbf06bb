import { expect, test } from 'vitest';
import { createDenialBook } from './denials.ts';

const to = (instance_id: string, host: string) => ({ instance_id, host, port: 443 });

test('each is given until it was taken; a repeated one is counted, and given again under a new number', () => {
  const book = createDenialBook(() => 7);
  book.add(to('a', 'x.test'));
  book.add(to('a', 'x.test'));
  book.add(to('b', 'x.test'));
  const first = book.take(undefined);
  expect(first.items).toEqual([
    { seq: 2, instance_id: 'a', host: 'x.test', port: 443, count: 2, at: 7 },
    { seq: 3, instance_id: 'b', host: 'x.test', port: 443, count: 1, at: 7 },
  ]);
  // A platform process that died before the write asks again.
  expect(book.take(undefined)).toEqual(first);
  const { boot_id } = first;
  expect(book.take({ boot_id, seq: 2 }).items.map(({ seq }) => seq)).toEqual([3]);
  book.add(to('b', 'x.test'));
  expect(book.take({ boot_id, seq: 3 }).items).toMatchObject([{ seq: 4, count: 2 }]);
  expect(book.take({ boot_id: 'of another program', seq: 9 }).items).toHaveLength(1);
});

test('a guest that tries everything fills no more than its part', () => {
  const book = createDenialBook();
  book.add(to('quiet', 'x.test'));
  for (let n = 0; n < 5_000; n += 1) book.add(to('loud', `h${n}.test`));
  const { items } = book.take(undefined);
  expect(items.filter(({ instance_id }) => instance_id === 'quiet')).toHaveLength(1);
  expect(items.filter(({ instance_id }) => instance_id === 'loud').length).toBeLessThanOrEqual(50);
  expect(items.reduce((sum, { count }) => sum + count, 0)).toBe(5_001);
});
