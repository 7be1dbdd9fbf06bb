import { expect, test } from 'vitest';
import { typeErrors } from './check-types.ts';

test('each error has its place, and the lines that explain it', () => {
  const output = `agent.ts(8,7): error TS2322: Type '{ a: string; }' is not assignable.
  Types of property 'a' are incompatible.
    Type 'string' is not assignable to type 'number'.
lib/x.ts(1,2): error TS2304: Cannot find name 'y'.
error TS18003: No inputs were found.
`;
  expect(typeErrors(output)).toEqual([
    "agent.ts:8:7: error TS2322: Type '{ a: string; }' is not assignable.\n  Types of property 'a' are incompatible.\n    Type 'string' is not assignable to type 'number'.",
    "lib/x.ts:1:2: error TS2304: Cannot find name 'y'.",
    'error TS18003: No inputs were found.',
  ]);
  expect(typeErrors('panic: no\n')).toEqual([]);
});
