import fc from 'fast-check';
import { expect, test } from 'vitest';
import { MemoryKey } from '../agents/agent-memory.ts';
import { FilePrefix } from '../workspace/files.ts';
import { FOLDER_SYNTAX, GLOB_SYNTAX, KEY_SYNTAX, PATH_START_SYNTAX, PATH_SYNTAX } from './path-syntax.ts';
import { isPath, isPattern, isPrefix } from './patterns.ts';

// Short, and in one Unicode form: the rest is lengths and forms, which a pattern does not say.
const texts = fc.string({ unit: fc.constantFrom('a', '.', '/', '*', '?', '\\', '\n', '\u200e', '\u2029', '\u{1f600}', ' '), maxLength: 9 });

test.each([
  ['path', PATH_SYNTAX, isPath],
  ['folder', FOLDER_SYNTAX, isPrefix],
  ['beginning of a path', PATH_START_SYNTAX, (text: string) => FilePrefix.safeParse(text).success],
  ['path pattern', GLOB_SYNTAX, isPattern],
  ['key', KEY_SYNTAX, (text: string) => MemoryKey.safeParse(text).success],
])('what the document says of a %s is what is accepted', (_, syntax, accepts) => {
  const said = new RegExp(syntax, 'u');
  let right = 0;
  fc.assert(
    fc.property(texts, (text) => {
      if (accepts(text)) right += 1;
      expect(said.test(text), JSON.stringify(text)).toBe(accepts(text));
    }),
    { numRuns: 20_000 },
  );
  expect(right).toBeGreaterThan(100);
});

test('a long text that nearly fits is refused without trying every way to read it', () => {
  for (const syntax of [PATH_SYNTAX, GLOB_SYNTAX, KEY_SYNTAX]) expect(new RegExp(syntax, 'u').test(`${'a*'.repeat(50_000)}//`)).toBe(false);
});
