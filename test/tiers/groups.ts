// The groups of tests, by the file's name; the tiers that run them; and what each may take.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';

/** `npm test`; `npm run test:all`, which runs the first as well; `npm run test:release`, what takes hours. */
export type Tier = 'test' | 'all' | 'release';

export type Group = 'unit' | 'parts' | 'machine' | 'e2e' | 'outside';

/**
 * Processor seconds of the machine of pace.ts, those of started programs among them: machines differ by a
 * factor of two in wall time. In CI, and in a run of a whole tier, more fails the run.
 */
export const budgets: Readonly<Record<'test' | 'all', Readonly<Partial<Record<Group | 'whole', number>>>>> = {
  test: { unit: 730, parts: 400, machine: 60, e2e: 260, whole: 1_650 },
  all: { unit: 780, parts: 2_400, machine: 1_600, e2e: 1_800 },
};

/** Processor seconds of a file that was never measured. */
export const usualSeconds: Readonly<Record<Group, number>> = { unit: 1, parts: 6, machine: 40, e2e: 60, outside: 120 };

/** A parts file that takes this many processor seconds or more is not in `npm test`. */
const LONG_SECONDS = 7;

/** Of the long groups, what proves that the main job works on the real parts. */
const MAIN_JOB = ['host/microvm/engine.vm.test.ts', 'test/e2e/main-job.test.ts', 'test/dashboard/main-job.parts.test.ts'];

/**
 * What takes hours, and so is for a release: other people's programs, every example and adapter in machines.
 */
const RELEASE = ['test/e2e/agents.test.ts', 'test/e2e/adapters.test.ts'];

/** Processor seconds of files as they were measured last, by `npm run test:all -- --measure`. */
export const measured: Readonly<Record<string, number>> = z
  .record(z.string(), z.number())
  .parse(JSON.parse(readFileSync(join(import.meta.dirname, 'seconds.json'), 'utf8')));

/** @param file its path from the root of the repository */
export function groupOf(file: string): Group {
  if (file.endsWith('.outside.test.ts')) return 'outside';
  if (file.endsWith('.parts.test.ts')) return 'parts';
  if (file.endsWith('.vm.test.ts')) return 'machine';
  return file.startsWith('test/e2e/') ? 'e2e' : 'unit';
}

/** The first tier that runs it. */
export function tierOf(file: string): Tier {
  const group = groupOf(file);
  if (group === 'outside' || RELEASE.includes(file)) return 'release';
  if (group === 'unit' || MAIN_JOB.includes(file)) return 'test';
  return group === 'parts' && (measured[file] ?? 0) < LONG_SECONDS ? 'test' : 'all';
}

export const expectedSeconds = (file: string): number => measured[file] ?? usualSeconds[groupOf(file)];

/**
 * Files that may skip a test, by their path, with the reason: the machine decides which of their tests run.
 */
export const maySkip: Readonly<Record<string, string>> = {
  'host/microvm/qemu/uid.test.ts': 'One half is for root, the other half for all other users.',
  'host/agents/cpu.test.ts': 'Where this user has no control groups, there is no limit to measure.',
};
