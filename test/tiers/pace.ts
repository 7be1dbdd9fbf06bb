// How fast a processor of this machine is while the tests run: a second of one that shares its core with
// others, or is older, does less. Two pieces of work are timed beside the tests; budgets are in seconds of a
// machine on which they take what REFERENCE says. Machines differ more in what the kernel does for a process
// (pages, system calls) than in plain computing, and tests do both: the slower of the two counts.
import { statSync } from 'node:fs';
import { deflateRawSync } from 'node:zlib';

export interface Pieces {
  compute: number;
  system: number;
}

/**
 * Processor seconds of each piece, as two cores took them that ran the whole first tier and nothing else.
 * `compute` was seen there; `system` is what it took on a machine where that tier took 2.1 times the
 * processor seconds, divided by that.
 */
const REFERENCE: Pieces = { compute: 0.0035, system: 0.0016 };

const TIMES = 3;
const OBJECTS = 5_000;
const PAGES = 1_048_576;
const CALLS = 300;

/** 128 KiB that a compressor has work with: the same bytes each time. */
const bytes = (() => {
  const made = Buffer.alloc(131_072);
  for (let at = 0, value = 1; at < made.length; at += 1) {
    value = (value * 48_271) % 2_147_483_647;
    made[at] = (value % 23) + 97;
  }
  return made;
})();

const compute = (): unknown => deflateRawSync(bytes);

function system(): unknown {
  const objects: object[] = [];
  for (let at = 0; at < OBJECTS; at += 1) objects.push({ at, name: `object ${at}`, inner: { at } });
  for (let call = 0; call < CALLS; call += 1) statSync('/');
  return [objects.length, Buffer.alloc(PAGES, 1).length];
}

/** Processor seconds of the pieces, now: the mean of a few times. */
export const piecesNow = (): Pieces => ({ compute: secondsOf(compute), system: secondsOf(system) });

function secondsOf(piece: () => unknown): number {
  const before = process.cpuUsage();
  for (let time = 0; time < TIMES; time += 1) piece();
  const used = process.cpuUsage(before);
  return (used.user + used.system) / 1e6 / TIMES;
}

/** How many times slower than the reference. @param seen what the pieces took, in a run */
export function slowness(seen: readonly Pieces[]): Pieces {
  const of = (piece: keyof Pieces): number => (seen.length === 0 ? 1 : seen.reduce((sum, one) => sum + one[piece], 0) / seen.length / REFERENCE[piece]);
  return { compute: of('compute'), system: of('system') };
}
