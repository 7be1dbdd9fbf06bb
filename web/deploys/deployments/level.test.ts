import { expect, test } from 'vitest';
import { isShown, levelOf } from './level.ts';

test.each([
  ['npm error code ERESOLVE', 'stdout', 'error'],
  ['npm warn deprecated x', 'stderr', 'warn'],
  ['[ERROR] it broke', 'stdout', 'error'],
  ['2026-01-01 12:00:00 WARN slow', 'stdout', 'warn'],
  ['Traceback (most recent call last):', 'stderr', 'error'],
  ['some sentence of a program', 'stderr', 'warn'],
  ['0 errors', 'stdout', 'info'],
  ['installed errors@1.0', 'stdout', 'info'],
  ['debug: x', 'stdout', 'debug'],
  ['building', 'system', 'info'],
])('%s (%s) is %s', (text, stream, level) => {
  expect(levelOf(text, stream)).toBe(level);
});

test('from a level on', () => {
  expect(isShown('debug', undefined)).toBe(true);
  expect(isShown('info', 'warn')).toBe(false);
  expect(isShown('error', 'warn')).toBe(true);
});
