// Tests that once passed at their second try only, with what is known of it. Each is a fault to mend; the
// list only shrinks (second-tries.test.ts).
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';

const FILE = join(import.meta.dirname, 'second-tries.json');

/** By the test: its file and name. */
const SecondTries = z.record(z.string(), z.string());

export const secondTries = (): Record<string, string> => SecondTries.parse(JSON.parse(readFileSync(FILE, 'utf8')));

/**
 * What is known; where nothing is, it is added to the list, except in CI, whose clone goes away. @returns the
 * end of a line
 */
export function noteSecondTry(test: string, file = FILE): string {
  const known = SecondTries.parse(JSON.parse(readFileSync(file, 'utf8')));
  if (known[test] !== undefined) return `: ${known[test]}`;
  if (process.env['CI'] === 'true') return ': not on the list test/tiers/second-tries.json';
  writeFileSync(file, `${JSON.stringify({ ...known, [test]: '' }, undefined, 2)}\n`);
  return ': added to test/tiers/second-tries.json, say there what is known of it';
}
