// No test depends on how fast its machine is: timers and stop watches in tests and in what they start are on
// a list with the reason (waits.ts).
import { glob, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { STOP_WATCHES, WAITS } from './waits.ts';

const root = join(import.meta.dirname, '../..');
const SKIPPED = /(^|\/)(node_modules|dist|\.svc)\/|^examples\/|\/templates\/(?!prober|blocker|keeper)/;
/** It has examples. */
const OWN = 'test/spec/waits.test.ts';
const COMMENT = /^\s*(?:\/\/|\*)/;
/** What was measured, against a bound. */
const STOP_WATCH = /expect\(.*(?:performance\.now\(\)(?: - \w+)?|Date\.now\(\) - [a-zA-Z]\w*|\belapsed\w*)\)*\.(?:not\.)?to/;

/** `setTimeout` and `setInterval`, and what a file calls that of node:timers/promises. */
function timersIn(text: string): number {
  const imported = /import \{([^}]*)\} from 'node:timers\/promises'/.exec(text)?.[1] ?? '';
  const called = /setTimeout as (\w+)/.exec(imported)?.[1];
  const calls = new RegExp(`(?<![.\\w])(?:setTimeout|setInterval${called === undefined ? '' : `|${called}`})\\(`, 'g');
  return text.split('\n').reduce((count, line) => count + (COMMENT.test(line) ? 0 : (line.match(calls)?.length ?? 0)), 0);
}

const patterns = ['**/*.test.ts', 'test/**/*.ts', '**/test/**/*.ts'];
const paths = (
  await Promise.all(patterns.map((pattern) => Array.fromAsync(glob(pattern, { cwd: root, exclude: (path) => path.endsWith('node_modules') }))))
).flat();
const files = await Promise.all(
  [...new Set(paths)].filter((path) => !SKIPPED.test(path) && path !== OWN).map(async (path) => ({ path, text: await readFile(join(root, path), 'utf8') })),
);

test('each timer of a test is on the list, and what is on the list is there', () => {
  expect(files.length).toBeGreaterThan(500);
  const found = files.map(({ path, text }) => [path, timersIn(text)] as const).filter(([, timers]) => timers > 0);
  const listed = Object.entries(WAITS).map(([path, { timers }]) => [path, timers] as const);
  // More: wait for a condition, hold a step, or count (test/support/turns.ts). Fewer: say so in waits.ts.
  expect(Object.fromEntries(found)).toEqual(Object.fromEntries(listed));
});

test('no test compares a stop watch, but where a least time is the promise', () => {
  const found = files.filter(({ text }) => text.split('\n').some((line) => STOP_WATCH.test(line)));
  expect(found.map(({ path }) => path).toSorted()).toEqual(Object.keys(STOP_WATCHES).toSorted());
});

test('what the scan looks for, it finds', () => {
  expect(
    timersIn(`import { setTimeout as rest } from 'node:timers/promises';\nawait rest(5);\nsetInterval(look, 5);\n// setTimeout(x, 5)\nsocket.setTimeout(5);`),
  ).toBe(2);
  const bound = '.toBeLessThan(5_000);';
  expect(
    [`expect(performance.now() - began)${bound}`, `expect(Date.now() - since)${bound}`, `expect(elapsedMs)${bound}`].map((line) => STOP_WATCH.test(line)),
  ).toEqual([true, true, true]);
});
