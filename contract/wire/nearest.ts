// Suggests the name that was most likely meant.

const aThird = (name: string): number => Math.floor(name.length / 3);

/** The nearest of `known`; undefined: nothing is near. `most`: letters that may differ, one in any case. */
export function closest(word: string, known: readonly string[], most: (name: string) => number = aThird): string | undefined {
  const scored = known.map((name) => ({ name, distance: distance(word.toLowerCase(), name.toLowerCase()) }));
  scored.sort((a, b) => a.distance - b.distance);
  const [best] = scored;
  return best && best.distance <= Math.max(1, most(best.name)) ? best.name : undefined;
}

/** A sentence to append: ` Did you mean x?`, or nothing. */
export function didYouMean(word: string, known: readonly string[]): string {
  const near = closest(word, known);
  return near === undefined ? '' : ` Did you mean ${near}?`;
}

/** Levenshtein's, with two neighbours that changed places as one step. */
function distance(a: string, b: string): number {
  let [before, row]: [number[], number[]] = [[], Array.from({ length: b.length + 1 }, (_, i) => i)];
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const change = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      const swap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1] ? (before[j - 2] ?? 0) + 1 : Infinity;
      next.push(Math.min(change, swap, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    [before, row] = [row, next];
  }
  return row[b.length] ?? 0;
}
