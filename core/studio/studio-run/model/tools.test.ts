import { expect, test } from 'vitest';
import { applyCalls } from './tools.ts';

const before = [
  { path: 'svc.yaml', content: 'name: x\n' },
  { path: 'agent.ts', content: 'old' },
];
const write = (path: string, content = 'new') => ({ id: '1', name: 'write_file', input: { path, content } });

test('files of the project are written and deleted; the last word on a file counts', () => {
  const done = applyCalls(before, [write('agent.ts'), write('lib/rules.ts'), write('lib/rules.ts', 'newer'), { id: '2', name: 'delete_file', input: { path: 'agent.ts' } }]); // prettier-ignore
  expect(done.files).toEqual([
    { path: 'svc.yaml', content: 'name: x\n' },
    { path: 'lib/rules.ts', content: 'newer' },
  ]);
  expect(done.changed).toEqual(['agent.ts', 'lib/rules.ts']);
  expect(done.refused).toEqual([]);
});

test.each([
  'svc.yaml',
  'package.json',
  'tsconfig.json',
  '../outside.ts',
  '/etc/passwd.ts',
  'a/../../b.ts',
  '.npmrc',
  '.env',
  'lib/.hidden.ts',
  'node_modules/x/index.ts',
  'vendor/x.ts',
  'run.sh',
  'agent.ts\0.txt',
  'a//b.ts',
  '',
  `${'x'.repeat(200)}.ts`,
])('%j is not written', (path) => {
  const { files, changed, refused } = applyCalls(before, [write(path)]);
  expect(files).toEqual(before);
  expect(changed).toEqual([]);
  expect(refused).toHaveLength(1);
});

test('what is no call, no tool or too large does nothing and is said', () => {
  const calls = [
    { id: '1', name: 'write_file', input: 'agent.ts' },
    { id: '2', name: 'write_file', input: { path: 'agent.ts' } },
    { id: '3', name: 'publish', input: {} },
    write('big.ts', 'x'.repeat(65_537)),
    { id: '4', name: 'samples', input: { samples: [{ skill: '../x', args: {} }] } },
    { id: '5', name: 'samples', input: { samples: 'all' } },
  ];
  const done = applyCalls(before, calls);
  expect(done).toMatchObject({ files: before, changed: [], trials: undefined });
  expect(done.refused).toHaveLength(6);
});

test('a project stays within its files and characters', () => {
  const many = applyCalls(
    before,
    Array.from({ length: 60 }, (_, n) => write(`f${n}.ts`)),
  );
  expect(many.files).toHaveLength(40);
  expect(many.refused).toHaveLength(22);
  const large = applyCalls(
    before,
    Array.from({ length: 6 }, (_, n) => write(`f${n}.ts`, 'x'.repeat(60_000))),
  );
  expect(large.changed).toHaveLength(4);
  expect(large.refused).toHaveLength(2);
});

test('samples are kept, four at most', () => {
  const samples = [{ skill: 'run', args: { text: 'x' } }];
  expect(applyCalls(before, [{ id: '1', name: 'samples', input: { samples } }]).trials).toEqual(samples);
  const five = Array.from({ length: 5 }, () => samples[0]);
  expect(applyCalls(before, [{ id: '1', name: 'samples', input: { samples: five } }])).toMatchObject({ trials: undefined, refused: [expect.stringContaining('samples')] }); // prettier-ignore
});
