import fc from 'fast-check';
import { expect, test } from 'vitest';
import { inFile, readRuleFile, writeRuleFile } from './rule-file.ts';

const FILE = `// default: deny
// Nobody; not even "us".
@id("no-org") @reason("a; b // c")
forbid(principal, action, resource in Host::"org");

  @id("quote") permit(principal, action, resource) when { "\\"; @id(\\"x\\")" == "é" };
// the end
`;

test('policies are taken apart at their semicolons, with the comments before them', () => {
  const { policies, default_outcome, problems } = readRuleFile(FILE);
  expect([default_outcome, problems]).toEqual(['deny', []]);
  expect(policies.map(({ name, line, column }) => [name, line, column])).toEqual([['no-org', 2, 1], ['quote', 6, 3]]); // prettier-ignore
  expect(policies[0]?.text.startsWith('// Nobody; not even "us".\n@id("no-org")')).toBe(true);
  expect(policies[1]?.text.endsWith('"é" };')).toBe(true);
});

test('what has no name, a wrong one or one that was there is said with its place', () => {
  const { problems, policies } = readRuleFile('permit(principal, action, resource);\n@id("A")\npermit(x);\n@id("b") permit(x);\n// again\n@id("b") permit(y);');
  expect(policies.map(({ name }) => name)).toEqual(['b']);
  expect(problems.map(({ line, column, message }) => [line, column, message.slice(0, 20)])).toEqual([
    [1, 1, 'This policy has no n'],
    [2, 1, '"A" is no name of a '],
    [6, 1, 'There is a policy "b'],
  ]);
});

test('a policy without its semicolon is one, so that the server says what is missing', () => {
  expect(readRuleFile('@id("a") permit(principal').policies).toEqual([{ name: 'a', text: '@id("a") permit(principal', line: 1, column: 1 }]);
  expect(readRuleFile('\n// nothing\n').policies).toEqual([]);
  expect(readRuleFile('// default: deny').default_outcome).toBe('deny');
  expect(readRuleFile('\n// default: deny').default_outcome).toBe('allow');
});

test('places of a policy are found in the file', () => {
  const { policies } = readRuleFile(FILE);
  const problem = { length: 3, message: 'm', help: null };
  expect(inFile(policies, { policy: 'quote', line: 1, column: 14, ...problem })).toMatchObject({ line: 6, column: 16 });
  expect(inFile(policies, { policy: 'no-org', line: 3, column: 5, ...problem })).toMatchObject({ line: 4, column: 5 });
  expect(inFile(policies, { policy: 'no-org', line: null, column: null, ...problem, length: null })).toMatchObject({ line: 2, column: 1, length: 1 });
});

test('what is written reads as what it was; a name is added where the text has none', () => {
  expect(writeRuleFile({ policies: [{ name: 'a', text: 'permit(principal, action, resource);' }], default_outcome: 'allow' })).toBe(
    '@id("a")\npermit(principal, action, resource);\n',
  );
  const { policies, default_outcome } = readRuleFile(FILE);
  const again = readRuleFile(writeRuleFile({ policies, default_outcome }));
  expect([again.policies.map(({ name, text }) => [name, text]), again.default_outcome]).toEqual([
    policies.map(({ name, text }) => [name, text]),
    default_outcome,
  ]);
});

test('whatever the file is, it is read in time, and its texts are of it', () => {
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom('"', '\\', '//', '\n', ';', '@id("a")', '@id("b")', ' ', 'x', '\r\n', '// default: deny\n')).map((all) => all.join('')),
      (file) => {
        for (const { text, line, column } of readRuleFile(file).policies) {
          expect(file).toContain(text);
          const from = file.split('\n').slice(line - 1).join('\n').slice(column - 1); // prettier-ignore
          expect(from.startsWith(text)).toBe(true);
        }
      },
    ),
  );
});
