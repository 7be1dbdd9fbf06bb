// What somebody most likely meant.

/** The nearest of `known` to the two words or to the first alone; undefined when nothing is near. */
export function closest(words: string, first: string, known: readonly string[]): string | undefined {
  const scored = known.map((name) => ({ name, distance: Math.min(distance(words, name), distance(first, name)) }));
  scored.sort((a, b) => a.distance - b.distance);
  const [best] = scored;
  return best && best.distance <= Math.max(1, Math.floor(best.name.length / 3)) ? best.name : undefined;
}

/** Levenshtein's. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const change = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(change, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
