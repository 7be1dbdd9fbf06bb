// A queue of one host: without its worker what is scheduled there would wait for ever.
// reads: workflows/
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const workflows = fileURLToPath(new URL('../../workflows', import.meta.url));

test('what is scheduled on a queue of one host says how long it may wait for a worker there', async () => {
  const names = (await readdir(workflows)).filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'));
  const texts = await Promise.all(names.map(async (name) => [name, await readFile(join(workflows, name), 'utf8')] as const));
  const proxies = texts.flatMap(([name, text]) =>
    text
      .split(/\bproxyActivities</)
      .slice(1)
      .flatMap((rest) => {
        const [options = ''] = rest.split('});');
        return options.includes('taskQueue: `runtime:') ? [{ name, bounded: options.includes('scheduleToStartTimeout:') }] : [];
      }),
  );
  expect(proxies.map(({ name }) => name).sort()).toEqual(['deploy-agent.ts', 'rehearse.ts']);
  expect(proxies.filter(({ bounded }) => !bounded)).toEqual([]);
});
