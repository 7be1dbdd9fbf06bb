// What the build program refuses before it needs a machine, run as the machine runs it: by bun, with its plan
// as the only argument.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { packedBun } from '../../microvm/images/packed.ts';
import { authorExit, type BuildPlan } from './plan.ts';

test.each([
  ['no entry module', { 'other.py': '' }, 'error: entrypoint "agent:Tester": there is no agent.py in the project'],
  ['a broken pyproject.toml', { 'agent.py': '', 'pyproject.toml': '[project\n' }, 'error: pyproject.toml cannot be read: TOML Parse error'],
])('a project in Python with %s', (_what, files, message) => {
  const source = mkdtempSync(join(tmpdir(), 'svc-inspect-'));
  try {
    for (const [name, text] of Object.entries(files)) writeFileSync(join(source, name), text);
    const plan: Partial<BuildPlan> = { stage: 'begin', language: 'python', known: [], salt: '', source, entrypoint: 'agent:Tester', max_disk_bytes: 2 ** 50 };
    const { status, stdout, stderr } = spawnSync(packedBun().path, [join(import.meta.dirname, 'main.ts'), JSON.stringify(plan)], { encoding: 'utf8' });
    expect([status, stdout, stderr]).toEqual([authorExit, '', expect.stringContaining(message)]);
  } finally {
    rmSync(source, { recursive: true });
  }
});
