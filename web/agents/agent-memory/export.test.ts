import { expect, test } from 'vitest';
import { csvOf } from './export.ts';

const at = '2026-11-29T10:00:00.000Z';
const entry = (key: string, value: unknown) => ({ namespace: 'orders', key, created_at: at, updated_at: at, value });

test('each field is a column, in the order in which it first comes; what is no object is in "value"', () => {
  const csv = csvOf([entry('a', { name: 'Ada', age: 36 }), entry('b', { age: 7, tags: ['x', 'y'], key: 'k' }), entry('c', 'text')]);
  expect(csv.split('\r\n')).toEqual([
    'namespace,key,created_at,updated_at,name,age,tags,value.key,value',
    `orders,a,${at},${at},Ada,36,,,`,
    `orders,b,${at},${at},,7,"[""x"",""y""]",k,`,
    `orders,c,${at},${at},,,,,text`,
    '',
  ]);
});

test('commas, quotes and lines stay in their cell; a formula of a stranger is text, a number stays one', () => {
  const csv = csvOf([entry('a', { note: 'one, "two"\nthree', sum: '=HYPERLINK("http://evil.test")', more: '@x', less: -5 })]);
  expect(csv).toContain(`"one, ""two""\nthree","'=HYPERLINK(""http://evil.test"")",'@x,-5\r\n`);
});
