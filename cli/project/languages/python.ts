// An agent in Python, compiled by its own SDK: its declaration, or what is wrong with the project.
import { spawn } from 'node:child_process';
import { basename, join } from 'node:path';
import { z } from 'zod';
import { Problem } from '#contract/wire/author-process.ts';
import type { Say } from '../../lib/progress.ts';
import { ProjectError } from '../problem.ts';
import type { Entry } from '../read.ts';
import { SPARE_AFTER_MS } from '#sdk/typescript/sidecar/process.ts';
import { Spare } from '#sdk/typescript/sidecar/spare.ts';
import { ensureVenv, installedIn, PYTHON_SDK } from './python-venv.ts';
import { heard, run, tail } from './run.ts';
import type { Building, Built } from './worker.ts';

const COMPILE_MS = 180_000;
const Problems = z.array(Problem).min(1);

interface Compiler {
  python: string;
  folder: string;
  entrypoint: string;
  /** What the interpreter finds installed. */
  installed: string;
}
const compilers = new Spare<Compiler>(
  ({ python, folder, entrypoint }) => spawn(python, [...compileOf(entrypoint, folder), '--spare'], { cwd: folder, stdio: ['pipe', 'pipe', 'pipe'] }),
  (compiler) => JSON.stringify(compiler),
);
const compileOf = (entrypoint: string, folder: string): string[] => ['-m', 'svc', 'compile', entrypoint, '--folder', folder];

export const dropSpareCompiler = (): void => compilers.drop();

/** How its worker is started. @throws ProjectError */
export async function pythonWorker(folder: string, { entrypoint }: Entry, { say, ahead, reloads, verbose }: Building): Promise<Omit<Built, 'dsl'>> {
  const command = await ensureVenv(folder, say, ahead);
  // An environment of the author's own may have another SDK in it, and other packages at any time.
  const installed = installedIn(folder);
  const args = ['-m', 'svc', 'worker', entrypoint, '--folder', folder, ...(verbose ? ['--verbose'] : [])];
  if (installed === undefined) return { command, args };
  return { command, args: reloads ? [...args, '--reload'] : args, ...(ahead && { spare: installed }), ...(reloads && { packages: installed }) };
}

/**
 * `ahead`: the next build comes soon, and the interpreters it needs are to be started before. @throws
 * ProjectError
 */
export async function buildPython(folder: string, entry: Entry, building: Building): Promise<Built> {
  const { entrypoint } = entry;
  const { say, ahead } = building;
  let prepared = false;
  const noting: Say = (text, kind) => {
    prepared = true;
    say(text, kind);
  };
  const worker = await pythonWorker(folder, entry, { ...building, say: noting });
  const { command: python } = worker;
  const loading = `loading ${basename(entry.file)} …\n`;
  if (prepared) say(loading);
  else say(loading, 'detail');
  const installed = ahead ? worker.spare : undefined;
  const compiler = installed === undefined ? undefined : { python, folder, entrypoint, installed };
  const spare = compiler && compilers.take(compiler);
  const hearing = { show: say, withinMs: COMPILE_MS };
  const { code, stdout, stderr } = spare
    ? await heard(spare, { ...hearing, input: '\n' })
    : await run(python, compileOf(entrypoint, folder), { cwd: folder, ...hearing });
  if (compiler) compilers.keep(compiler, SPARE_AFTER_MS);
  if (code === 0) return { dsl: JSON.parse(stdout), ...worker };
  const problems = Problems.safeParse(parse(stdout));
  if (problems.success) throw new ProjectError(problems.data);
  if (/No module named '?svc'?/.test(stderr)) {
    const remedy = `remove .venv and the next command creates it again, or run .venv/bin/pip install ${PYTHON_SDK}`;
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
