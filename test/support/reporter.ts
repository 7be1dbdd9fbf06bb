// Ends a run with the one line that machines read: `N passed, N failed`, and how many were skipped.
import type { Reporter, SerializedError, TestModule } from 'vitest/node';

export class CountReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly SerializedError[]): void {
    const tests = modules.flatMap((module) => [...module.children.allTests()]);
    const count = (state: string) => tests.filter((test) => test.result().state === state).length;
    // A file that does not load, and an error outside any test, fail the run without failing a test.
    const failed = count('failed') + modules.reduce((sum, module) => sum + module.errors().length, 0) + unhandled.length;
    const skipped = count('skipped') + count('pending');
    const line = `${count('passed')} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
    // After vitest's own summary, which comes in the same turn.
    process.once('exit', () => process.stdout.write(`${line}\n`));
  }
}
