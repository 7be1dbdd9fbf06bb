// Ends a run with the one line that machines read: `N passed, N failed`, and how many were skipped. In CI a skipped test is a failure.
// A test that passed at its second try only is named, and written to a list (second-tries.ts): it is to be mended.
import { relative } from 'node:path';
import type { Reporter, SerializedError, TestCase, TestModule } from 'vitest/node';
import { maySkip } from './groups.ts';
import { noteSecondTry } from './second-tries.ts';

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
    for (const test of tests) if (test.diagnostic()?.flaky) named.push(`Failed once, then passed: ${nameOf(test)}${noteSecondTry(nameOf(test))}\n`);
    // After vitest's own summary, which comes in the same turn.
    process.once('exit', () => process.stdout.write(`${named.join('')}${line}\n`));
  }
}

const nameOf = (test: TestCase): string => `${relative(process.cwd(), test.module.moduleId)} > ${test.fullName}`;

/** `test.todo` promises a test, it leaves none out. */
function isForbiddenSkip(test: TestCase): boolean {
  if (!['skipped', 'pending'].includes(test.result().state) || test.options.mode === 'todo') return false;
  return !Object.keys(maySkip).some((path) => test.module.moduleId.endsWith(`/${path}`));
}
