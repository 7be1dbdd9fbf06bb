// Which tests there are, by the file's name:
//   x.test.ts        unit: without other parts, or with its own database; all of them together take seconds
//   x.parts.test.ts  starts programs, needs the Temporal server, or takes seconds on its own
//   x.vm.test.ts     boots microVMs
//   test/e2e/        the whole stack
//   x.outside.test.ts  against other people's programs and documents that take long to build or to read
// Which of them run: test/tiers (npm test, test:all, test:touched, test:release); with a path after `npx
// vitest run`, those of the path. The longest files first, of all groups together.
// Files of the first two share processes, which saves loading the same modules some 640 times;
// test/tiers/leaves-nothing.ts holds them to it.
import { globSync } from 'node:fs';
import { availableParallelism, totalmem } from 'node:os';
import { join } from 'node:path';
import { configDefaults, defineConfig } from 'vitest/config';
import { SpecificationReporter } from './test/spec/reporter.ts';
import { compileCache } from './test/support/compile-cache.ts';
import { CountReporter } from './test/tiers/count-reporter.ts';
import { budgets, type Group } from './test/tiers/groups.ts';
import { Orphans } from './test/tiers/orphans.ts';
import { LongestFirst } from './test/tiers/longest-first.ts';
import { PassedReporter } from './test/tiers/passed-reporter.ts';
import { includedIn, isWholeTier, leftOut, remembers } from './test/tiers/selection.ts';
import { TimesReporter } from './test/tiers/times-reporter.ts';

/**
 * Tests of projects that recipes write are Node's own: core/studio/recipe/recipes.parts.test.ts runs them.
 */
const everywhere = [...configDefaults.exclude, '**/.svc/**', '**/templates/**', 'core/studio/recipe/*/project/**'];
const special = ['**/*.parts.test.ts', '**/*.vm.test.ts', '**/*.outside.test.ts', 'test/e2e/**'];
/**
 * Real programs run on a shared machine. The end of the run names each test that needed it; it is a fault to
 * mend.
 */
const retry = process.env.CI === 'true' || isWholeTier() ? 1 : 0;

/** What a file's programs took, for both reporters that ask. */
const orphans = new Orphans();

export default defineConfig({
  test: {
    globalSetup: './test/tiers/global-setup.ts',
    // Of the runner's workers, and so of all that they start.
    env: { NODE_COMPILE_CACHE: compileCache() },
    // More than there are cores: parts tests wait for each other's programs half of their time. A file with
    // machines takes up to 2 GiB.
    maxWorkers: Math.max(1, Math.min(Math.ceil(availableParallelism() * 1.5), Math.floor(totalmem() / 2 ** 31))),
    sequence: { sequencer: LongestFirst },
    reporters: [
      'default',
      new SpecificationReporter(),
      new TimesReporter({ budget: isWholeTier() ? budgets.test : undefined, orphans }),
      ...(remembers() ? [new PassedReporter(orphans)] : []),
      new CountReporter(),
    ],
    projects: [
      // The limits end what hangs, on a machine with other work, too: a test with a shorter one of its own
      // would depend on the machine's speed.
      project('unit', ['**/*.test.ts'], 300_000, { isolate: false, exclude: special }),
      project('parts', ['**/*.parts.test.ts'], 600_000, { isolate: false }),
      project('machine', ['**/*.vm.test.ts'], 900_000),
      project('e2e', ['test/e2e/**/*.test.ts'], 1_800_000),
      project('outside', ['**/*.outside.test.ts'], 1_800_000),
    ],
  },
});

function project(name: Group, include: string[], timeout: number, more: { exclude?: string[]; isolate?: false } = {}) {
  const exclude = [...everywhere, ...(more.exclude ?? [])];
  const files = includedIn(name, include);
  return {
    // clipanion names its entry without an extension, and Node cannot load the .mjs that would be tried
    // first.
    resolve: {
      extensions: ['.ts', '.js', '.mjs', '.json'],
      // Examples import the SDK by its name.
      alias: [
        { find: /^@svc\/sdk$/, replacement: join(import.meta.dirname, 'sdk/typescript/index.ts') },
        { find: /^@svc\/sdk\/(.+)$/, replacement: join(import.meta.dirname, 'sdk/typescript/$1.ts') },
      ],
    },
    test: {
      name,
      // As agents run: the watchdog ends a loop in the middle of a callback, and Node would end a later file
      // of the same process for it.
      execArgv: ['--no-force-async-hooks-checks'],
      include: files,
      exclude: [...exclude, ...leftOut(() => globSync(files, { exclude }))],
      testTimeout: timeout,
      hookTimeout: timeout,
      retry,
      setupFiles: [
        './test/tiers/wait-timeouts.ts',
        './test/tiers/measure.ts',
        './test/tiers/drop-databases.ts',
        ...(more.isolate === false ? ['./test/tiers/leaves-nothing.ts'] : []),
      ],
      ...(more.isolate === false ? { isolate: false } : {}),
      expect: { poll: { timeout: 60_000 } },
    },
  };
}
