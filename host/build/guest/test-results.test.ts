import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { lineSplitter } from '#drivers/runtime/lines.ts';
import { runBounded } from './bounded.ts';
import { asPattern } from './check-tests.ts';
import { reporterSource, testResults, type TestResults } from './test-results.ts';

const folders: string[] = [];
afterAll(() => Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true }))));

/** As Node's own runner tells it, through our reporter. */
async function resultsOf(files: Record<string, string>): Promise<TestResults> {
  const root = await mkdtemp(join(tmpdir(), 'svc-tests-'));
  folders.push(root);
  await writeFile(join(root, 'package.json'), '{"type":"module"}');
  await writeFile(join(root, 'reporter.mjs'), reporterSource);
  for (const [name, text] of Object.entries(files)) await writeFile(join(root, name), `import { describe, test } from 'node:test';\n${text}`);
  const reports = testResults(root);
  const lines = lineSplitter(reports.take, 65_536);
  const command = [process.execPath, '--test', `--test-reporter=${join(root, 'reporter.mjs')}`, ...Object.keys(files).map(asPattern)];
  await runBounded(command, root, { withinMs: 60_000, onStdout: (chunk) => lines.push(chunk), onStderr: () => undefined });
  lines.end();
  return reports.results();
}

test('tests are counted, not suites, files, or those left out; each failure has its name, place and message', async () => {
  const results = await resultsOf({
    'a.test.ts': `test('fails', () => { throw new Error('first\\nsecond'); });
test('passes', () => console.log('printed'));
test('left out', { skip: true }, () => undefined);
test('to do', { todo: true }, () => { throw new Error('later'); });
describe('suite', () => { test('inside', () => { throw 'text'; }); });
`,
    '[b].test.js': "test('has brackets', () => undefined);",
    'c.test.js': '',
  });
  expect(results).toMatchObject({ passed: 2, failed: 2, running: [], output: expect.stringContaining('printed') });
  expect(results.failures[0]).toMatch(/^a\.test\.ts:2 "fails": first\nsecond\n {2}at .*a\.test\.ts:2:/);
  expect(results.failures[1]).toBe('a.test.ts:6 "inside": text');
});

test('a file that cannot be loaded is a failure with the reason', async () => {
  const results = await resultsOf({ 'a.test.ts': "import 'nowhere';", 'b.test.ts': 'const = 1;' });
  expect(results).toMatchObject({ passed: 0, failed: 2 });
  expect(results.failures[0]).toMatch(/^a\.test\.ts could not be run: .*Cannot find package 'nowhere' imported from a\.test\.ts$/);
  expect(results.failures[1]).toMatch(/^b\.test\.ts could not be run: b\.test\.ts:2\n.*\nconst = 1;\nSyntaxError/);
});

test('what has begun and not ended is running; lines that are not the reporter’s say nothing', () => {
  const reports = testResults('/work/src');
  const of = (kind: string, name: string, line: number): string => JSON.stringify({ kind, name, file: '/work/src/a.test.ts', line });
  for (const line of [
    'no JSON',
    '[]',
    of('begun', 'a.test.ts', 1),
    of('begun', 'waits', 4),
    of('begun', 'ends', 5),
    of('ended', 'ends', 5),
    of('passed', 'ends', 5),
  ])
    reports.take(line);
  expect(reports.results()).toMatchObject({ passed: 1, running: ['a.test.ts', 'a.test.ts:4 "waits"'] });
});
