// Notes each test file that passed as soon as it has, under the content that it reached when the run began
// (passed.ts).
import { statSync } from 'node:fs';
import { join, relative } from 'node:path';
import type { Reporter, TestModule } from 'vitest/node';
import { repository } from '#stack/setup/folders.mjs';
import { citedBy } from '../spec/reporter.ts';
import { contentKey, type Graph, reachOf, readGraph } from './graph.ts';
import type { Orphans } from './orphans.ts';
import { removePassed, writePassed } from './passed.ts';
import { timeOfFile } from './times-reporter.ts';

export class PassedReporter implements Reporter {
  #graph: Graph | undefined;
  #began = 0;
  readonly #orphans: Orphans;

  constructor(orphans: Orphans) {
    this.#orphans = orphans;
  }

  onTestRunStart(): void {
    this.#orphans.start();
    this.#began = Date.now();
    this.#graph = readGraph();
  }

  onTestModuleEnd(module: TestModule): void {
    const graph = this.#graph;
    const tests = [...module.children.allTests()];
    if (!graph) return;
    const file = relative(repository, module.moduleId);
    // With the same content it passed before, and no longer does.
    if (module.state() === 'failed') return void removePassed(contentKey(graph, file));
    if (module.state() !== 'passed' || module.errors().length > 0 || tests.length === 0) return;
    if (this.#changedSince(graph, file)) return;
    const { processor, seconds } = timeOfFile(module, this.#orphans.byFile());
    const passed = tests.filter((test) => test.result().state === 'passed');
    writePassed(contentKey(graph, file), {
      file,
      passed: passed.length,
      skipped: tests.length - passed.length,
      processor,
      seconds,
      pieces: module.meta().pieces,
      tries: 1 + Math.max(0, ...passed.map((test) => test.diagnostic()?.retryCount ?? 0)),
      verified: [...new Set(passed.flatMap(citedBy))],
    });
  }

  /**
   * Something was saved while the run went on: nobody knows which of both was tested. What a build writes is
   * of no content.
   */
  #changedSince(graph: Graph, file: string): boolean {
    return [...reachOf(graph, file).keys()]
      .filter((one) => graph.contents.has(one))
      .some((one) => (statSync(join(repository, one), { throwIfNoEntry: false })?.mtimeMs ?? Infinity) > this.#began);
  }
}
