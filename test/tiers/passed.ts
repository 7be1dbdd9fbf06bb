// What is known of test files that passed, by the content that they reach: a run that was cut off goes on
// from there, and what has not changed is not run again. In the cache folder, so that clones of one user
// share it.
import { mkdirSync, readFileSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { cacheFolder } from '#stack/setup/folders.mjs';

const KEPT_DAYS = 14;

const Passed = z.object({
  file: z.string(),
  passed: z.number(),
  /** `test.skip` where the machine decides, and `test.todo`. */
  skipped: z.number(),
  processor: z.number(),
  seconds: z.number(),
  /** What the pieces of pace.ts took after it. */
  pieces: z.object({ compute: z.number(), system: z.number() }).optional(),
  /** More than one: a test of it failed before it passed. */
  tries: z.number(),
  /** Sentences of the specification. */
  verified: z.array(z.string()),
});
export type Passed = z.infer<typeof Passed>;

const folder = (): string => join(cacheFolder(process.env), 'test', 'passed');

/** @param key of graph.ts */
export function readPassed(key: string): Passed | undefined {
  try {
    return Passed.parse(JSON.parse(readFileSync(join(folder(), `${key}.json`), 'utf8')));
  } catch {
    return undefined;
  }
}

export function writePassed(key: string, passed: Passed): void {
  mkdirSync(folder(), { recursive: true });
  const file = join(folder(), `${key}.json`);
  writeFileSync(`${file}.${process.pid}`, JSON.stringify(passed));
  renameSync(`${file}.${process.pid}`, file);
}

export const removePassed = (key: string): void => rmSync(join(folder(), `${key}.json`), { force: true });

/** Of content that nobody has any more. */
export function removeOldPassed(now: number): void {
  mkdirSync(folder(), { recursive: true });
  for (const name of readdirSync(folder())) {
    const file = join(folder(), name);
    const made = statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? now;
    if (now - made > KEPT_DAYS * 86_400_000) rmSync(file, { force: true });
  }
}
