// npm run mutants -- --seed 1 [--count 40] [--first 60] [--from 1]: puts seeded faults into production code,
// one at a time, in a copy of the last commit, and runs `test:touched` there until a test fails. Says what
// was found, by which test, and what was not: that gets a test. 34 of 40 must be found. `--from` goes on
// where a run was cut off, and `--only 5,10` takes some: the same commit and seed have the same faults. A
// test has found a fault when it fails with it twice, and passes without it. `--by-hand`: the faults of
// by-hand.ts instead, which the first tier must find, all of them.
import { execFileSync, spawnSync, type SpawnSyncReturns } from 'node:child_process';
import { mkdtempSync, readFileSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { repository } from '#stack/setup/folders.mjs';
import { TEST_FILE } from '../tiers/orphans.ts';
import { allTimes, environmentOf } from '../tiers/processor-time.ts';
import { HAND_MADE, type HandMade } from './by-hand.ts';
import { chooseMutants } from './choose.ts';
import type { Mutant } from './kinds.ts';
import { isOfProduction } from './production.ts';

const MUST_FIND = 0.85;
/** Test files that may fail beside the fault until it counts as not found. */
const MOST_FOREIGN = 3;
const LIMIT_MS = 900_000;
/**
 * Of the files that reach a fault, those without machines first: most faults are found by one of them, in a
 * tenth of the time.
 */
const STEPS = [['unit'], ['parts'], ['machine', 'e2e']];

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    count: { type: 'string', default: '40' },
    first: { type: 'string', default: '60' },
    from: { type: 'string', default: '1' },
    only: { type: 'string' },
    'by-hand': { type: 'boolean' },
    list: { type: 'boolean' },
  },
});
const byHand = values['by-hand'] === true;
const files = byHand ? HAND_MADE.map(({ file }) => file) : git('ls-files').filter(isOfProduction);
const sources = new Map(files.map((file) => [file, readFileSync(join(repository, file), 'utf8')]));
const only = values.only?.split(',').map(Number);
const mutants = (byHand ? HAND_MADE.map(placed) : chooseMutants(sources, { seed: Number(values.seed), count: Number(values.count) }))
  .map((mutant, at) => ({ ...mutant, number: at + 1 }))
  .filter(({ number }) => only?.includes(number) ?? number >= Number(values.from));
const title = ({ file, line, kind, before, after }: Mutant): string => `${file}:${line} ${kind}: ${short(before)} → ${short(after)}`;
if (values.list === true) process.stdout.write(`${mutants.map(title).join('\n')}\n`);
else runAll();

function placed(fault: HandMade): Mutant {
  const text = sources.get(fault.file) ?? '';
  const start = text.indexOf(fault.before);
  return { ...fault, line: text.slice(0, start).split('\n').length, start, end: start + fault.before.length };
}

function runAll(): void {
  const copy = makeCopy();
  const missed: Mutant[] = [];
  try {
    for (const mutant of mutants) {
      const began = Date.now();
      const by = foundBy(copy, mutant);
      if (by === undefined) missed.push(mutant);
      const seconds = ((Date.now() - began) / 1_000).toFixed(0).padStart(4);
      process.stdout.write(
        `${String(mutant.number).padStart(3)} ${seconds} s ${by === undefined ? 'NOT FOUND' : 'found'} ${title(mutant)}${by === undefined ? '' : `\n           by ${by}`}\n`,
      );
    }
  } finally {
    git('worktree', 'remove', '--force', copy);
    rmSync(copy, { recursive: true, force: true });
  }
  const found = mutants.length - missed.length;
  for (const mutant of missed) process.stdout.write(`Not found: ${title(mutant)}\n`);
  const must = byHand ? mutants.length : Math.ceil(mutants.length * MUST_FIND);
  process.stdout.write(`${found} of ${mutants.length} found, ${must} must be\n`);
  process.stdout.write(`${found} passed, ${missed.length} failed\n`);
  if (found < must) process.exitCode = 1;
}

/**
 * The last commit in a folder of its own, with the packages of this one: nobody's work tree has a fault in it
 * when this is killed.
 */
function makeCopy(): string {
  const copy = mkdtempSync(join(tmpdir(), 'svc-mutants-'));
  git('worktree', 'add', '--quiet', '--detach', copy, 'HEAD');
  const linked = spawnSync('cp', ['-al', join(repository, 'node_modules'), join(copy, 'node_modules')]);
  if (linked.status !== 0) execFileSync('cp', ['-a', join(repository, 'node_modules'), copy]);
  execFileSync('cp', ['-a', `${join(repository, '.svc')}/.`, join(copy, '.svc')]);
  return copy;
}

/** The first test that failed, and fails only for the fault; undefined: none did. */
function foundBy(copy: string, { file, start, end, after }: Mutant): string | undefined {
  const text = sources.get(file) ?? '';
  const put = (isFaulty: boolean): void => writeFileSync(join(copy, file), isFaulty ? text.slice(0, start) + after + text.slice(end) : text);
  // The test of the list by hand reads these files: it says nothing of what they do.
  const foreign = ['test/mutants/'];
  const failed = (): SpawnSyncReturns<string> | undefined => {
    const of = [...(byHand ? ['--tier', 'test'] : []), '--first', values.first, ...foreign.flatMap((path) => ['--without', path])];
    for (const step of STEPS) {
      const one = run(copy, 'test/tiers/touched.ts', 'HEAD', ...of, ...step.flatMap((group) => ['--group', group]), '--bail', '1');
      if (one.status !== 0) return one;
    }
    return undefined;
  };
  const passes = (project: string, path: string, isFaulty: boolean): boolean => {
    put(isFaulty);
    return run(copy, join(repository, 'node_modules/vitest/vitest.mjs'), 'run', '--project', project, path).status === 0;
  };
  try {
    while (foreign.length <= MOST_FOREIGN) {
      put(true);
      const first = failed();
      if (first === undefined) return undefined;
      const { stdout, stderr, error } = first;
      if (error) {
        // What takes as long without the fault has found nothing. A line more: the file is still one that
        // changed.
        writeFileSync(join(copy, file), `${text}\n`);
        return failed()?.error ? undefined : `${error.message} (it hangs)`;
      }
      const [, project = '', path = '', test = ''] = /^ FAIL {2}\|(\w+)\| (\S+) > (.+)$/m.exec(`${stdout}\n${stderr}`) ?? [];
      if (path === '') return `the run failed: ${short(`${stdout}\n${stderr}`.slice(-500))}`;
      if (passes(project, path, false) && !passes(project, path, true)) return `${path} > ${test}`;
      process.stdout.write(`           failed beside it: ${path} > ${test}\n`);
      foreign.push(path);
    }
    return undefined;
  } finally {
    put(false);
  }
}

function run(cwd: string, ...args: string[]): SpawnSyncReturns<string> {
  const env = { ...process.env, NO_COLOR: '1', CI: '' };
  try {
    return spawnSync(process.execPath, ['--disable-warning=ExperimentalWarning', ...args], {
      cwd,
      encoding: 'utf8',
      timeout: LIMIT_MS,
      maxBuffer: 1 << 28,
      env,
    });
  } finally {
    endAllIn(cwd);
  }
}

/** What a run that was ended in its middle leaves: supervisors, servers, machines. */
function endAllIn(folder: string): void {
  for (const pid of allTimes().keys()) {
    const at = attempt(() => readlinkSync(`/proc/${pid}/cwd`)) ?? '';
    if (!at.startsWith(folder) && environmentOf(pid, TEST_FILE)?.startsWith(`${folder}/`) !== true) continue;
    attempt(() => process.kill(pid, 'SIGKILL'));
  }
}

function attempt<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined; // it has ended meanwhile
  }
}

function git(...args: string[]): string[] {
  return execFileSync('git', args, { cwd: repository, encoding: 'utf8', maxBuffer: 1 << 26 })
    .split('\n')
    .filter(Boolean);
}

function short(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  return line.length > 70 ? `${line.slice(0, 67)}...` : line;
}
