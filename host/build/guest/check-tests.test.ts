import { expect, test } from 'vitest';
import { asPattern, judge, testFiles } from './check-tests.ts';

test('test files are those of the project, not of packages, hidden folders or the frontend', () => {
  const names = ['agent.ts', 'b.test.js', 'a.test.ts', 'test/c.test.mts', 'node_modules/x/d.test.js', 'lib/node_modules/e.test.js', '.svc/f.test.ts'];
  const more = ['web/g.test.ts', 'website/h.test.ts', 'i.test.tsx', 'j.test.json', '.test.ts', 'latest.ts'];
  expect(testFiles([...names, ...more], 'web')).toEqual(['a.test.ts', 'b.test.js', 'test/c.test.mts', 'website/h.test.ts']);
  expect(testFiles(more)).toEqual(['web/g.test.ts', 'website/h.test.ts']);
});

test('a name is neither an option nor a pattern to the runner', () => {
  expect(asPattern('--import=x.test.ts')).toBe('./--import=x.test.ts');
  expect(asPattern('[id].test.ts')).toBe('./?id?.test.ts');
});

const none = { passed: 0, failed: 0, failures: [], running: [], output: '' };

test('tests pass where at least one did and none failed', () => {
  expect(judge({ ...none, passed: 1 }, { code: 0, late: false }, 1_000)).toBeUndefined();
  expect(judge(none, { code: 0, late: false }, 1_000)?.sentence).toMatch(/^The project has no tests/);
  expect(judge({ ...none, passed: 1, failed: 2 }, { code: 1, late: false }, 1_000)?.sentence).toBe('2 of 3 tests failed.');
  expect(judge({ ...none, passed: 1 }, { code: 7, late: false }, 1_000)?.sentence).toBe('The tests ended with code 7.');
  expect(judge({ ...none, passed: 1 }, { code: null, late: false }, 1_000)?.sentence).toMatch(/ended by a signal/);
});

test('where the time is over, the message names what was running: the test, else its file', () => {
  const ended = { code: null, late: true };
  expect(judge({ ...none, running: ['a.test.ts'] }, ended, 2_000)?.sentence).toBe(
    'The tests did not end within 2 seconds and were ended; still running: a.test.ts.',
  );
  expect(judge({ ...none, running: ['a.test.ts', 'a.test.ts:3 "waits"'] }, ended, 2_000)?.sentence).toMatch(/still running: a\.test\.ts:3 "waits"\.$/);
});
