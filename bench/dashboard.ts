// The dashboard in a slowed browser over a test world: test/dashboard/figures.outside.test.ts says what it
// measures. BENCH_QUICK=1: each page once. SVC_PAGES='home;runs': only those pages of
// test/dashboard/paths.ts. BENCH_SLOWER=2: how many times slower the processor is made.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');
const vitest = join(root, 'node_modules/vitest/vitest.mjs');
const { status } = spawnSync(process.execPath, [vitest, 'run', 'test/dashboard/figures', '--project=outside'], {
  cwd: root,
  stdio: 'inherit',
});
process.exitCode = status ?? 1;
