import { expect, test } from 'vitest';
import { readinessIn } from './readiness.ts';

test('parts and their states are read; anything but ok fails', () => {
  expect(readinessIn({ status: 'not ready', parts: { database: 'ok', temporal: 'failing' } })).toEqual({
    ready: false,
    parts: [
      { name: 'database', works: true },
      { name: 'temporal', works: false },
    ],
  });
  expect(() => readinessIn({ detail: 'no' })).toThrow(/readyz/);
});
