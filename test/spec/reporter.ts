// Ends a run with what it has proven of the specification. A fault fails the run.
import type { Reporter, SerializedError, TestCase, TestModule, TestSuite, Vitest } from 'vitest/node';
import { isPart } from '../tiers/selection.ts';
import { faultsOf } from './coverage.ts';
import { OPEN } from './open.ts';
import { sentenceIds } from './sentences.ts';
import type {} from './verifies.ts';

export class SpecificationReporter implements Reporter {
  #vitest: Vitest | undefined;

  onInit(vitest: Vitest): void {
    this.#vitest = vitest;
  }

  async onTestRunEnd(modules: readonly TestModule[], unhandled: readonly SerializedError[]): Promise<void> {
    const tests = modules.flatMap((module) => [...module.children.allTests()]);
    const passed = tests.filter((test) => test.result().state === 'passed');
    const failed = unhandled.length > 0 || modules.some((module) => module.state() === 'failed');
    const sentences = new Set(sentenceIds());
    const verified = new Set(passed.flatMap(citedBy));
    // What failed says itself what it did not prove.
    const whole = !failed && (await this.#isWhole(modules.length));
    const faults = faultsOf({ sentences, open: new Set(Object.keys(OPEN)), cited: new Set(tests.flatMap(citedBy)), verified, whole });
    if (faults.length > 0) {
      process.stderr.write(`\nThe specification:\n${faults.map((fault) => `  ${fault}\n`).join('')}`);
      process.exitCode = 1;
    }
    if (whole) process.stdout.write(`${verified.size} of ${sentences.size} sentences of the specification verified, ${Object.keys(OPEN).length} open\n`);
  }

  /** No filter of any kind left a test file or a test out. */
  async #isWhole(files: number): Promise<boolean> {
    const vitest = this.#vitest;
    // A tier's run is a part, and test:all counts itself.
    if (isPart() || !vitest || vitest.config.project.length > 0 || vitest.getGlobalTestNamePattern()) return false;
    return files === (await vitest.globTestSpecifications()).length;
  }
}

/** Its own sentences and those of the suites around it. */
export function citedBy(test: TestCase): string[] {
  const ids = [...(test.meta().verifies ?? [])];
  for (let suite: TestSuite['parent'] = test.parent; suite.type === 'suite'; suite = suite.parent) ids.push(...(suite.meta().verifies ?? []));
  return ids;
}
