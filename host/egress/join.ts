import type { Duplex } from 'node:stream';

/** Joins two byte streams; each side's end is passed on, an error ends both. */
export function join(a: Duplex, b: Duplex): void {
  a.pipe(b);
  b.pipe(a);
  for (const [one, other] of [
    [a, b],
    [b, a],
  ] as const) {
    one.on('error', () => other.destroy());
    one.once('close', () => other.destroy());
  }
}
