// The last line of a run, from a real run over files made for it.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const files = {
  'mixed.test.ts': `import { expect, test } from 'vitest'; test('a', () => {}); test('b', () => expect(1).toBe(2)); test.skip('c', () => {}); test.todo('d');`,
  'broken.test.ts': `import './not-there.ts';`,
};

test('counts what passed, failed and was skipped; a file that does not load is a failure', () => {
  // Inside the repository, so that vitest is found from there.
  const dir = mkdtempSync(join(import.meta.dirname, '.reporter-'));
  try {
    for (const [name, text] of Object.entries(files)) writeFileSync(join(dir, name), text);
    const reporter = join(import.meta.dirname, 'reporter.ts');
    writeFileSync(
      join(dir, 'vitest.config.ts'),
      `import { CountReporter } from ${JSON.stringify(reporter)}; export default { test: { reporters: ['default', new CountReporter()] } };`,
    );
    const vitest = join(import.meta.dirname, '../../node_modules/vitest/vitest.mjs');
    const { stdout, status } = spawnSync(process.execPath, [vitest, 'run', '--root', dir], { encoding: 'utf8' });
    expect(stdout.trimEnd().split('\n').at(-1)).toBe('1 passed, 2 failed, 2 skipped');
    expect(status).toBe(1);
  } finally {
    rmSync(dir, { recursive: true });
  }
});
