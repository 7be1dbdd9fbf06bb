import { expect, test } from 'vitest';
import { merge } from './merge.ts';

test('every member of every part is there', () => {
  const all = merge({ buildImage: () => 1 }, { settleWait: () => 'settled' });
  expect([all.buildImage(), all.settleWait()]).toEqual([1, 'settled']);
});

test('a name of two parts stops the start', () => {
  expect(() => merge({ cancel: () => 1 }, { cancel: () => 2 })).toThrow('cancel is named twice');
});
