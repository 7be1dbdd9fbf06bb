// What `svc validate` says of a newcomer's mistakes: file, line and remedy of each.
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { cites } from '#test/spec/verifies.ts';
import { checkProject } from './check.ts';
import { ensureVenv } from './languages/python-venv.ts';
import { formatProblem, ProjectError } from './problem.ts';
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
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'svc.yaml'), 'name: weather\nversion: 0.1.0\nentrypoint: agent:Weather\n');
  await writeFile(join(folder, broken?.language === 'python' ? 'agent.py' : 'agent.ts'), broken?.source ?? '');
  if (broken?.language === 'python') await symlink(join(home, '.venv'), join(folder, '.venv'));
  return folder;
}

it.each(BROKEN.map(({ title, language }, at) => [`${language}: ${title}`, at] as const))('%s', cites('cli.validate'), async (_, at) => {
  const folder = await made(at);
  const error = await checkProject(folder, () => undefined).catch((reason: unknown) => reason);
  const lines = error instanceof ProjectError ? error.problems.map((problem) => formatProblem(problem, folder)) : [];
  for (const named of BROKEN[at]?.named ?? []) expect(lines).toContainEqual(expect.stringMatching(named));
});

it('the tool exits 1, and with --json says each problem with file, line and column', cites('cli.validate'), async () => {
  const folder = await made(1);
  const outcome = await new Promise<{ code: number | null; stdout: string; stderr: string }>((resolve) => {
    const child = execFile(process.execPath, [CLI, 'validate', '--json'], { cwd: folder }, (_, stdout, stderr) =>
      resolve({ code: child.exitCode, stdout, stderr }),
    );
  });
  expect({ ...outcome, stdout: JSON.parse(outcome.stdout) }).toEqual({
    code: 1,
    stderr: '',
    stdout: {
      valid: false,
      problems: [
        { file: join(folder, 'agent.ts'), line: 9, column: 15, message: expect.stringContaining("Did you mean 'emitProgress'?") },
        { file: join(folder, 'agent.ts'), line: 10, column: 17, message: expect.stringContaining("Did you mean 'toUpperCase'?") },
      ],
    },
  });
});
