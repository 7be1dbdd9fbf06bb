// Ends a run with the one line that machines read: `N passed, N failed`, and how many were skipped. In CI a
// skipped test is a failure. A test that passed at its second try only is named, and written to a list
// (second-tries.ts): it is to be mended.
import { relative } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import type { Reporter, SerializedError, TestCase, TestModule } from 'vitest/node';
import { maySkip } from './groups.ts';
import { noteSecondTry } from './second-tries.ts';

const MOST_LINES = 30;

export class CountReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly SerializedError[]): void {
    const tests = modules.flatMap((module) => [...module.children.allTests()]);
    const count = (state: string) => tests.filter((test) => test.result().state === state).length;
    const forbidden = process.env['CI'] === 'true' ? tests.filter(isForbiddenSkip) : [];
    // A file that does not load, and an error outside any test, fail the run without failing a test.
    const failed = count('failed') + modules.reduce((sum, module) => sum + module.errors().length, 0) + unhandled.length + forbidden.length;
    const skipped = count('skipped') + count('pending') - forbidden.length;
    const line = `${count('passed')} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
    if (forbidden.length > 0) process.exitCode = 1;
    const named = forbidden.map((test) => `Skipped, which is a failure in CI: ${nameOf(test)}\n`);
    for (const test of tests.filter((one) => one.diagnostic()?.flaky))
      named.push(`Failed once, then passed: ${nameOf(test)}${noteSecondTry(nameOf(test))}\n${reasonOf(test)}`);
    // After vitest's own summary, which comes in the same turn.
    process.once('exit', () => process.stdout.write(`${named.join('')}${line}\n`));
  }
}

const nameOf = (test: TestCase): string => `${relative(process.cwd(), test.module.moduleId)} > ${test.fullName}`;

/** Why its first try failed: nothing else of a run says it. */
function reasonOf(test: TestCase): string {
  const [error] = test.result().errors ?? [];
  const text = stripVTControlCharacters(error?.stack ?? error?.message ?? 'no error was kept');
  const lines = text.split('\n').filter((line) => !/^ +at .*(?:node_modules|<anonymous>)/.test(line));
  return `${lines.slice(0, MOST_LINES).join('\n').replaceAll(/^/gm, '  ')}\n`;
}

/** `test.todo` promises a test, it leaves none out. */
function isForbiddenSkip(test: TestCase): boolean {
  if (!['skipped', 'pending'].includes(test.result().state) || test.options.mode === 'todo') return false;
  return !Object.keys(maySkip).some((path) => test.module.moduleId.endsWith(`/${path}`));
}
