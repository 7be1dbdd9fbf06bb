import { expect, test } from 'vitest';
import { parseJsonFile } from './json.ts';
import { ProjectError } from './problem.ts';

test.each([
  ['', 1],
  ['{\n"a": 1,\n}', 3],
  ['{\n"a": tru\n}', 2],
  ['{\n\n  x: 1\n}', 3],
  ['{"a":\n"x\ny"}', 2],
  ['[1,\n2', 2],
  ['{}\n{}', 2],
  ['\n// a comment\n{}', 2],
])('%j is wrong in line %i', (text, line) => {
  let thrown: unknown;
  try {
    parseJsonFile('a.json', text);
  } catch (error) {
    thrown = error;
  }
  expect(thrown).toBeInstanceOf(ProjectError);
  expect(thrown).toMatchObject({ problems: [{ file: 'a.json', line, message: expect.stringContaining('JSON') }] });
});

test('JSON is read as it is', () => expect(parseJsonFile('a.json', ' {"a": [1, "x"]}\n')).toEqual({ a: [1, 'x'] }));
