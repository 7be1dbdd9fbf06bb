import { expect, test } from 'vitest';
import { size } from './bytes.ts';

test.each([
  [0, '0 bytes'],
  [1, '1 byte'],
  [1023, '1023 bytes'],
  [1024, '1.0 KiB'],
  [1024 ** 2 * 64, '64.0 MiB'],
  [1024 ** 2 * 640, '640 MiB'],
])('%d is %s', (bytes, text) => expect(size(bytes)).toBe(text));
