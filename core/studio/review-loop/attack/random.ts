// Numbers that look like chance and are the same for the same seed (mulberry32), so that a loop can be made again.
export interface Random {
  /** From 0, below `below`. */
  int(below: number): number;
  /** So many hexadecimal digits. */
  hex(digits: number): string;
  /** The same items in another order. */
  shuffled<T>(items: readonly T[]): T[];
}

export function randomOf(...seeds: readonly (number | string)[]): Random {
  let state = hashOf(seeds.join('\n'));
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
  const int = (below: number): number => Math.floor(next() * below);
  return {
    int,
    hex: (digits) => Array.from({ length: digits }, () => int(16).toString(16)).join(''),
    shuffled: (items) =>
      items
        .map((item) => ({ item, at: next() }))
        .toSorted((a, b) => a.at - b.at)
        .map(({ item }) => item),
  };
}

/** FNV-1a. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193) >>> 0;
  return hash;
}
