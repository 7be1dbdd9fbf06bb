// pyright or mypy over a project in Python, where the project has it: installed in .venv, or configured.
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join, resolve, sep } from 'node:path';
import { z } from 'zod';
import type { Say } from '../../lib/progress.ts';
import { type ProgramResult, run, tail } from '../languages/run.ts';
import type { Problem } from '../problem.ts';

const CHECK_MS = 180_000;

interface Checker {
  name: 'pyright' | 'mypy';
  /** Of its own, beside a table in pyproject.toml. */
  configs: readonly string[];
  args: readonly string[];
  read: (result: ProgramResult, folder: string) => Problem[] | undefined;
}

const CHECKERS: readonly Checker[] = [
  { name: 'pyright', configs: ['pyrightconfig.json'], args: ['--outputjson'], read: readPyright },
  {
    name: 'mypy',
    configs: ['mypy.ini', '.mypy.ini'],
    args: ['--show-column-numbers', '--no-pretty', '--no-color-output', '--no-error-summary', '.'],
    read: readMypy,
  },
];

/** What is wrong. `say` gets why nothing was checked though the project asks for it. */
export async function pythonProblems(folder: string, say: Say): Promise<Problem[]> {
  const pyproject = await readFile(join(folder, 'pyproject.toml'), 'utf8').catch(() => '');
  for (const { name, configs, args, read } of CHECKERS) {
    const program = join(folder, '.venv', 'bin', name);
    if (!existsSync(program)) {
      const configured = new RegExp(`^\\[tool\\.${name}[\\].]`, 'm').test(pyproject) || configs.some((file) => existsSync(join(folder, file)));
      if (configured) say(`Types are not checked: ${name} is configured, but not in .venv (.venv/bin/python -m pip install ${name})\n`);
      continue;
    }
    say(`checking types with ${name} …`, 'detail');
    const result = await run(program, args, { cwd: folder, withinMs: CHECK_MS });
    const problems = read(result, folder);
    if (problems) return problems;
    say(`Types are not checked: ${name}: ${tail(result.stderr || result.stdout, 2)}\n`);
  }
  return [];
}

const Pyright = z.object({
  generalDiagnostics: z.array(
    z.object({
      file: z.string(),
      severity: z.string(),
      message: z.string(),
      range: z.object({ start: z.object({ line: z.int(), character: z.int() }) }).optional(),
    }),
  ),
});

function readPyright({ stdout }: ProgramResult, folder: string): Problem[] | undefined {
  let value: unknown;
  try {
    value = JSON.parse(stdout);
  } catch {
    return undefined;
  }
  const read = Pyright.safeParse(value);
  return read.data?.generalDiagnostics
    .filter(({ severity, file }) => severity === 'error' && isOwn(file, folder))
    .map(({ file, range, message }) => ({
      file,
      ...(range && { line: range.start.line + 1, column: range.start.character + 1 }),
      message: message.replaceAll(/\s*\n\s*/g, ' '),
    }));
}

function readMypy({ code, stdout }: ProgramResult, folder: string): Problem[] | undefined {
  // 2: it could not check.
  if (code !== 0 && code !== 1) return undefined;
  return stdout.split('\n').flatMap((text) => {
    const [, path, line, column, message] = /^(.+?):(\d+):(?:(\d+):)? error: (.*)$/.exec(text) ?? [];
    const file = path === undefined ? undefined : resolve(folder, path);
    if (file === undefined || message === undefined || !isOwn(file, folder)) return [];
    return [{ file, line: Number(line), ...(column !== undefined && { column: Number(column) }), message }];
  });
}

const isOwn = (file: string, folder: string): boolean => file.startsWith(folder + sep) && !/[/\\](?:\.venv|venv|node_modules)[/\\]/.test(file);
