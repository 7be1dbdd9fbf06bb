// An agent in Python, compiled by its own SDK: its declaration, or what is wrong with the project.
import { join } from 'node:path';
import { z } from 'zod';
import { Problem } from '#contract/wire/author-process.ts';
import { ProjectError } from '../problem.ts';
import type { Entry } from '../read.ts';
import { ensureVenv, PYTHON_SDK } from './python-venv.ts';
import { run, tail } from './run.ts';
import type { Built } from './worker.ts';

const COMPILE_MS = 180_000;
const Problems = z.array(Problem).min(1);

/** @throws ProjectError */
export async function buildPython(folder: string, entry: Entry, say: (text: string) => void): Promise<Built> {
  const python = await ensureVenv(folder, say);
  const { code, stdout, stderr } = await run(python, ['-m', 'svc', 'compile', entry.entrypoint, '--folder', folder], {
    cwd: folder,
    show: say,
    withinMs: COMPILE_MS,
  });
  if (code === 0) return { dsl: JSON.parse(stdout), command: python, args: ['-m', 'svc', 'worker', entry.entrypoint, '--folder', folder] };
  const problems = Problems.safeParse(parse(stdout));
  if (problems.success) throw new ProjectError(problems.data);
  if (/No module named '?svc'?/.test(stderr)) {
    const remedy = `remove .venv and the next command makes it anew, or run .venv/bin/pip install ${PYTHON_SDK}`;
    throw new ProjectError([{ file: join(folder, '.venv'), message: `has no svc-sdk: ${remedy}` }]);
  }
  if (code === null) {
    throw new ProjectError([
      { file: entry.file, message: `the module did not load within ${COMPILE_MS / 1000} s: nothing at its top level may wait for long` },
    ]);
  }
  throw new ProjectError([{ file: entry.file, message: `the module ended while loading (exit code ${code}): ${tail(stderr, 2)}` }]);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
