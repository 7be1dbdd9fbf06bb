import { expect, test } from 'vitest';
import { cut, failureMessage, maxMessage, plainText } from './check-report.ts';

const many = Array.from({ length: 100 }, (_, index) => `agent.test.ts:${index} "test ${index}": ${'no '.repeat(40)}`);

test('the sentence comes first, then what failed by name, then the end of what was printed', () => {
  const output = `${'early\n'.repeat(2_000)}late`;
  const message = failureMessage([{ sentence: '1 of 2 tests failed.', failures: ['agent.test.ts:3 "adds": 2 !== 3'], output }]);
  expect(message).toMatch(/^1 of 2 tests failed\.\nagent\.test\.ts:3 "adds": 2 !== 3\nearly\n/);
  expect(message.endsWith('\nlate')).toBe(true);
  expect(message.length).toBeLessThanOrEqual(maxMessage);
});

test('more failures than fit are counted, and leave no room for output', () => {
  const message = failureMessage([{ sentence: '100 of 100 tests failed.', failures: many, output: 'printed' }]);
  const shown = message.split('\n').filter((line) => line.startsWith('agent.test.ts')).length;
  expect(message.endsWith(`\nand ${100 - shown} more`)).toBe(true);
  expect(message.length).toBeLessThanOrEqual(maxMessage);
  expect(shown).toBeGreaterThan(10);
});

test('checks that fail together each have their share', () => {
  const message = failureMessage([
    { sentence: '100 of 100 tests failed.', failures: many, output: '' },
    { sentence: 'The types have an error.', failures: ['agent.ts:1:2: error TS2322: no'], output: '' },
  ]);
  expect(message.endsWith('more\nThe types have an error.\nagent.ts:1:2: error TS2322: no')).toBe(true);
  expect(message.length).toBeLessThanOrEqual(maxMessage);
});

test('colours, control characters and halves of characters are gone', () => {
  expect(plainText('\u001b[31mred\u001b[0m\u0000\u0007\r\nnext\tcolumn')).toBe('red\nnext  column');
  expect(plainText('a\ud800b').isWellFormed()).toBe(true);
  expect(cut('x'.repeat(7) + '😀 and more', 10)).toBe('xxxxxxx …');
  expect(cut('short', 10)).toBe('short');
});
