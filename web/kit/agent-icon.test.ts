import { expect, test } from 'vitest';
import { cellsOf } from './agent-icon.tsx';

test('the picture of a name is always the same, and another for another name', () => {
  expect(cellsOf('greeter')).toEqual(cellsOf('greeter'));
  const all = ['greeter', 'greeter-2', 'text-kit', 'analyst', 'librarian', 'crewai'].map((name) => JSON.stringify(cellsOf(name)));
  expect(new Set(all).size).toBe(all.length);
});
