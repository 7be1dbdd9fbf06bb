// What a seed decides. Pure, so that the same seed decides the same on another machine and in another year.

export interface Random {
  /** 0 to 1, without 1. */
  next(): number;
  /** A whole number from 0, below `n`. */
  below(n: number): number;
  pick<T>(of: readonly T[]): T | undefined;
  shuffled<T>(of: readonly T[]): T[];
}

/** `label` keeps scenarios apart: what one draws changes nothing for the others. */
export function seeded(seed: number, label: string): Random {
  let state = hashOf(`${seed}/${label}`);
  // mulberry32: a 32-bit generator that passes gjrand; nothing here is secret.
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
  const below = (n: number): number => Math.floor(next() * n);
  return {
    next,
    below,
    pick: (of) => of[below(of.length)],
    shuffled: (of) => {
      const left = [...of];
      return Array.from({ length: left.length }, () => left.splice(below(left.length), 1)).flat();
    },
  };
}

/** FNV-1a, 32 bits. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(text)) hash = Math.imul(hash ^ byte, 0x01000193);
  return hash;
}
