// Which tests there are, by the file's name:
//   x.test.ts        unit: alone or with its own database; all of them together take seconds
//   x.parts.test.ts  starts programs, needs the Temporal server, or takes seconds by itself
//   x.vm.test.ts     boots microVMs
//   test/e2e/        the whole stack
//   x.outside.test.ts  against other people's programs and documents that take long to build or to read: npm run test:outside
// The longest files first, of all groups together, one for each core (test/support/groups.ts).
// Files of the first two share processes, which saves loading the same modules some 640 times; test/support/leaves-nothing.ts holds them to it.
import { availableParallelism, totalmem } from 'node:os';
import { join } from 'node:path';
import { configDefaults, defineConfig } from 'vitest/config';
import { SpecificationReporter } from './test/spec/reporter.ts';
import { compileCache } from './test/support/compile-cache.ts';
import { LongestFirst } from './test/support/longest-first.ts';
import { CountReporter } from './test/support/reporter.ts';
import { TimesReporter } from './test/support/times.ts';

/** Tests of projects that recipes write are Node's own: core/studio/recipe/recipes.parts.test.ts runs them. */
const everywhere = [...configDefaults.exclude, '**/.svc/**', '**/templates/**', 'core/studio/recipe/*/project/**'];
/** The examples together, and a framework's agent over a kill, in machines of their own: minutes each. `SVC_SLOW=1 npx vitest run test/e2e/agents`. */
const slow = process.env.SVC_SLOW === '1' ? [] : ['test/e2e/agents.test.ts', 'test/e2e/adapters.test.ts'];
/** In CI a test gets a second try: real programs run on a shared machine. The end of the run names each test that needed it; it is a fault to mend. */
const retry = process.env.CI === 'true' ? 1 : 0;
const special = ['**/*.parts.test.ts', '**/*.vm.test.ts', '**/*.outside.test.ts', 'test/e2e/**'];
const outside = process.env.SVC_OUTSIDE === '1' ? [project('outside', ['**/*.outside.test.ts', 'host/box/box.vm.test.ts'], 900_000)] : [];

export default defineConfig({
  test: {
    globalSetup: './test/support/global-setup.ts',
    // Of the runner's workers, and so of all that they start.
    env: { NODE_COMPILE_CACHE: compileCache() },
    // The default leaves a core to the editor; a run is over sooner with all of them. A file with machines takes up to 2 GiB.
    maxWorkers: Math.max(1, Math.min(availableParallelism(), Math.floor(totalmem() / 2 ** 31))),
    sequence: { sequencer: LongestFirst },
    reporters: ['default', new SpecificationReporter(), new TimesReporter(), new CountReporter()],
    projects: [
      project('unit', ['**/*.test.ts'], 120_000, { retry, isolate: false, exclude: [...everywhere, ...special] }),
      project('parts', ['**/*.parts.test.ts'], 240_000, { retry, isolate: false }),
      project('machine', ['**/*.vm.test.ts'], 240_000, { retry }),
      project('e2e', ['test/e2e/**/*.test.ts'], 900_000, { retry, exclude: [...everywhere, ...slow] }),
      ...outside,
    ],
  },
});

function project(name: string, include: string[], timeout: number, more: { exclude?: string[]; retry?: number; isolate?: false } = {}) {
  return {
    // clipanion names its entry without an extension, and Node cannot load the .mjs that would be tried first.
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
      include,
      exclude: everywhere,
      testTimeout: timeout,
      hookTimeout: Math.max(timeout, 60_000),
      setupFiles: ['./test/support/wait-timeouts.ts', ...(more.isolate === false ? ['./test/support/leaves-nothing.ts'] : [])],
      ...more,
      expect: { poll: { timeout: 60_000 } },
    },
  };
}
