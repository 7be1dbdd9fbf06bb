import { expect, test } from 'vitest';
import { since } from './reads.ts';

test('a window begins at the same instant for an hour', () => {
  const at = (text: string): string => since(7, Date.parse(`2026-11-20T${text}Z`));
  expect([at('12:00:00'), at('12:59:59'), at('13:00:00')]).toEqual(['2026-11-13T12:00:00.000Z', '2026-11-13T12:00:00.000Z', '2026-11-13T13:00:00.000Z']);
});
