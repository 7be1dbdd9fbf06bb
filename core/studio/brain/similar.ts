// Which memories say the same, and which say the opposite of each other. Pure.
export interface Compared {
  memory_id: string;
  kind: 'outcome' | 'failure' | 'lesson';
  about: string;
  text: string;
}

/** From this share of common words on, two memories of one kind say the same. */
const SAME_FROM = 0.85;

export function wordsIn(text: string): Set<string> {
  return new Set(text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []);
}

/** Jaccard: common words, of all words of both. */
export function likeness(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  const common = [...a].filter((word) => b.has(word)).length;
  const all = a.size + b.size - common;
  return all === 0 ? 1 : common / all;
}

/**
 * Pairs of a memory and the newer one that says the same. `memories`: newest first. Each is merged once, into
 * one that stays.
 */
export function duplicatesIn(memories: readonly Compared[]): { older: Compared; newer: Compared }[] {
  const uniqueMemories: { memory: Compared; words: Set<string> }[] = [];
  const pairs: { older: Compared; newer: Compared }[] = [];
  for (const memory of memories) {
    const words = wordsIn(memory.text);
    const newer = uniqueMemories.find((one) => one.memory.kind === memory.kind && one.memory.about === memory.about && likeness(one.words, words) >= SAME_FROM);
    if (newer) pairs.push({ older: memory, newer: newer.memory });
    else uniqueMemories.push({ memory, words });
  }
  return pairs;
}

/** One says that an agent's skill did a step, another that it failed at it, for the same goal. */
export function contradictionsIn(memories: readonly Compared[]): { one: string; other: string; about: string }[] {
  const done = memories.flatMap((memory) => (memory.kind === 'outcome' ? [{ memory, who: /^(\S+) by (\S+):/u.exec(memory.text) }] : []));
  const failed = memories.flatMap((memory) => (memory.kind === 'failure' ? [{ memory, who: /^(\S+) failed at (\S+)/u.exec(memory.text) }] : []));
  return done.flatMap(({ memory, who }) => {
    const [, step, skill] = who ?? [];
    const other = failed.find((one) => skill !== undefined && one.who?.[1] === skill && one.who[2] === step && one.memory.about === memory.about);
    return other ? [{ one: memory.memory_id, other: other.memory.memory_id, about: `${skill} at ${step}` }] : [];
  });
}
