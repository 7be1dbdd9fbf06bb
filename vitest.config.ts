// Which tests there are, by the file's name:
//   x.test.ts        unit: alone or with its own database; all of them together take seconds
//   x.parts.test.ts  starts programs, needs the Temporal server, or takes seconds by itself
//   x.vm.test.ts     boots microVMs; one at a time
//   test/e2e/        the whole stack
import { join } from 'node:path';
import { configDefaults, defineConfig } from 'vitest/config';
import { CountReporter } from './test/support/reporter.ts';

const everywhere = [...configDefaults.exclude, '**/.svc/**', '**/templates/**'];
/** The examples together, in machines of their own: a quarter of an hour under emulation. `SVC_SLOW=1 npx vitest run test/e2e/agents`. */
const slow = process.env.SVC_SLOW === '1' ? [] : ['test/e2e/agents.test.ts'];
const special = ['**/*.parts.test.ts', '**/*.vm.test.ts', 'test/e2e/**'];

export default defineConfig({
  test: {
    globalSetup: './test/support/global-setup.ts',
    // The default leaves a core to the editor; a run is over sooner with all of them.
    maxWorkers: '100%',
    reporters: ['default', new CountReporter()],
    projects: [
      project('unit', 0, ['**/*.test.ts'], 30_000, { exclude: [...everywhere, ...special] }),
      project('parts', 1, ['**/*.parts.test.ts'], 120_000),
      project('machine', 2, ['**/*.vm.test.ts'], 180_000, { fileParallelism: false }),
      project('e2e', 3, ['test/e2e/**/*.test.ts'], 900_000, { exclude: [...everywhere, ...slow], fileParallelism: false }),
    ],
  },
});

/** Groups run one after the other, so that slow parts do not starve quick tests of the two cores. */
function project(name: string, groupOrder: number, include: string[], timeout: number, more: { exclude?: string[]; fileParallelism?: boolean } = {}) {
  return {
    // clipanion names its entry without an extension, and Node cannot load the .mjs that would be tried first.
    resolve: {
      extensions: ['.ts', '.js', '.mjs', '.json'],
      // Examples import the SDK by its name.
      alias: { '@svc/sdk': join(import.meta.dirname, 'sdk/typescript/index.ts') },
    },
    test: {
      name,
      include,
      exclude: everywhere,
      testTimeout: timeout,
      hookTimeout: Math.max(timeout, 60_000),
      setupFiles: ['./test/support/patience.ts'],
      sequence: { groupOrder },
      ...more,
    },
  };
}
