// How fast a processor of this machine is while the tests run: a second of one that shares its core with others, or is older, does less.
// A piece of work is timed beside the tests; budgets are in seconds of a machine on which it takes REFERENCE_SECONDS.
import { deflateRawSync } from 'node:zlib';

/** Processor seconds of the piece, as two cores took it that ran the whole first tier and nothing else. */
const REFERENCE_SECONDS = 0.0035;

const TIMES = 3;

/** 128 KiB that a compressor has work with: the same bytes each time. */
const piece = (() => {
  const bytes = Buffer.alloc(131_072);
  for (let at = 0, value = 1; at < bytes.length; at += 1) {
    value = (value * 48_271) % 2_147_483_647;
    bytes[at] = (value % 23) + 97;
  }
  return bytes;
})();

/** Processor seconds of the piece, now: the mean of a few times. */
export function pieceSeconds(): number {
  const before = process.cpuUsage();
  for (let time = 0; time < TIMES; time += 1) deflateRawSync(piece);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1e6 / TIMES;
}

/** How many times slower than the reference. @param pieces seconds of the piece, as they were seen in a run */
export function slowness(pieces: readonly number[]): number {
  if (pieces.length === 0) return 1;
  return pieces.reduce((sum, one) => sum + one, 0) / pieces.length / REFERENCE_SECONDS;
}
