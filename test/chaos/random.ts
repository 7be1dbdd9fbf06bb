// All of chance in a trial comes from here, so that the same seed chooses the same again.

export interface Chance {
  /** In [0, 1). */
  number(): number;
  /** In [from, to), whole. */
  between(from: number, to: number): number;
  pick<T>(from: readonly [T, ...T[]]): T;
  /** A stream of its own, not moved by what others draw. */
  fork(name: string): Chance;
}

/** mulberry32 */
export function chance(seed: number): Chance {
  let state = seed >>> 0;
  const number = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
  const between = (from: number, to: number): number => from + Math.floor(number() * (to - from));
  return {
    number,
    between,
    pick: (from) => from[between(0, from.length)] ?? from[0],
    fork: (name) => chance(Buffer.from(name).reduce((hash, byte) => Math.imul(hash ^ byte, 16_777_619), seed ^ 0x811c9dc5)),
  };
}
