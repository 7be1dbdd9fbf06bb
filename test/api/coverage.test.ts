// Which routes no test cites. Not a failure: the generic suites run over all of them; this is where proof of behaviour is thin.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { contract } from '../../contract/index.ts';
import { routesOf } from '../../contract/inventory.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
/** A citation by `verifies`, or a call through the typed client: `.agents.mine(`. */
const CITED = /verifies\(\s*'(\w+\.\w+)'|\.(\w+)\.(\w+)\(/g;

test('routes that no test cites or calls', () => {
  const files = execFileSync('git', ['ls-files', '-co', '--exclude-standard', '--', '*.test.ts'], { cwd: root, encoding: 'utf8' })
    .split('\n')
    .filter((file) => file !== '');
  const cited = new Set<string>();
  for (const file of files) for (const [, id, group, name] of readFileSync(`${root}/${file}`, 'utf8').matchAll(CITED)) cited.add(id ?? `${group}.${name}`);
  const ids = routesOf(contract).map(({ id }) => id);
  const uncited = ids.filter((id) => !cited.has(id));
  if (uncited.length > 0) process.stdout.write(`${uncited.length} of ${ids.length} routes are proven by the generic suites only: ${uncited.join(' ')}\n`);
  expect(cited.size).toBeGreaterThan(0);
});
