// The examples of other frameworks: how little of the agent changes, and that the SDK asks for the versions
// that are tested.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { dashed, exampleOf, FRAMEWORKS } from '../support/languages/frameworks.ts';
import { SDK } from '../support/languages/python.ts';

const MAX_CHANGED_LINES = 10;

test.each(FRAMEWORKS)('$name: at most ten lines of the example are other than in the quick start', (framework) => {
  const folder = exampleOf(framework);
  const agent = readFileSync(join(folder, 'agent.py'), 'utf8');
  // Used as it is: all of the agent is new.
  if (agent.includes('from quickstart import')) return void expect(agent.trimEnd().split('\n').length).toBeLessThanOrEqual(MAX_CHANGED_LINES);
  const { stdout } = spawnSync('git', ['diff', '--no-index', '--numstat', 'quickstart.py', 'agent.py'], { cwd: folder, encoding: 'utf8' });
  const [added = 0, removed = 0] = stdout.split('\t').map(Number);
  const lines = added + removed;
  expect(lines).toBeGreaterThan(0);
  expect(lines).toBeLessThanOrEqual(MAX_CHANGED_LINES);
});

test.each(FRAMEWORKS)('$name: its extra asks for the lowest version that is tested, its example for the newest', (framework) => {
  const { name, newest, lowest } = framework;
  const extra = new RegExp(`^${dashed(name)} = \\["([\\w-]+)>=([\\d.]+),<\\d+"\\]$`, 'm').exec(readFileSync(join(SDK, 'pyproject.toml'), 'utf8'));
  expect(lowest[0]?.replace(/\[.*\]/, '')).toBe(`${extra?.[1]}==${extra?.[2]}`);
  const requirements = readFileSync(join(exampleOf(framework), 'requirements.txt'), 'utf8')
    .trim()
    .split('\n');
  expect(newest).toEqual(expect.arrayContaining(requirements));
  expect(existsSync(join(exampleOf(framework), 'README.md'))).toBe(true);
});
