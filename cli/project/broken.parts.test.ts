// What `svc validate` says of a newcomer's mistakes: file, line and remedy of each.
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { cites } from '#test/spec/verifies.ts';
import { ensureVenv } from './languages/python-venv.ts';
import { BROKEN } from './test/broken.ts';

const CLI = fileURLToPath(new URL('../main.ts', import.meta.url));
const FIRST_MS = 600_000;

let home: string;
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'svc-broken-'));
  // One environment for all of them.
  await ensureVenv(home, () => undefined);
}, FIRST_MS);
afterAll(() => rm(home, { recursive: true, force: true }));

async function made(at: number): Promise<string> {
  const broken = BROKEN[at];
  const folder = join(home, `project-${at}`);
  await mkdir(folder);
  await writeFile(join(folder, 'svc.yaml'), 'name: weather\nversion: 0.1.0\nentrypoint: agent:Weather\n');
  await writeFile(join(folder, broken?.language === 'python' ? 'agent.py' : 'agent.ts'), broken?.source ?? '');
  if (broken?.language === 'python') await symlink(join(home, '.venv'), join(folder, '.venv'));
  return folder;
}

function svc(args: string[], cwd: string): Promise<{ code: number | null; stdout: string; stderr: string }> {
  return new Promise((resolve) => {
    const child = execFile(process.execPath, [CLI, ...args], { cwd }, (_, stdout, stderr) => resolve({ code: child.exitCode, stdout, stderr }));
  });
}

it.each(BROKEN.map(({ title, language }, at) => [`${language}: ${title}`, at] as const))('%s', cites('cli.validate'), async (_, at) => {
  const { code, stdout, stderr } = await svc(['validate'], await made(at));
  expect([code, stdout]).toEqual([1, '']);
  const lines = stderr.split('\n');
  for (const named of BROKEN[at]?.named ?? []) expect(lines).toContainEqual(expect.stringMatching(named));
});
