// What `svc validate` says of a newcomer's mistakes: file, line and remedy of each.
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { cites } from '#test/spec/verifies.ts';
import { checkProject } from './check.ts';
import { ensureVenv } from './languages/python-venv.ts';
import { packProject } from '../deploy/pack.ts';
import { readEnvFile } from './env-file.ts';
import { scaffold } from './scaffold.ts';
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

it('a byte order mark at the start of a file is no part of it', async () => {
  const { folder } = await scaffold({ name: 'marked', description: 'Says hello', target: home, language: 'typescript' });
  await writeFile(join(folder, '.env.local'), 'FIRST=1\n');
  await writeFile(join(folder, '.svcignore'), 'README.md\n');
  for (const name of ['svc.yaml', 'package.json', 'tsconfig.json', 'agent.ts', '.env.local', '.svcignore']) {
    await writeFile(join(folder, name), `\uFEFF${await readFile(join(folder, name), 'utf8')}`);
  }
  expect((await checkProject(folder)).card.name).toBe('marked');
  expect(await readEnvFile(folder, { path: '.env.local', named: false })).toEqual({ FIRST: '1' });
  expect((await packProject(folder)).files).not.toContain('README.md');
});
