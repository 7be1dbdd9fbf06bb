// Passages by what they mean: vectors of a model that embeds, and one order out of several (reciprocal rank
// fusion).
import type { Passage, Ranked } from './passages.ts';

/** Texts of one request for vectors, the question among them. */
const MOST_TEXTS = 256;
/** How many of each order count. */
const MOST_RANKED = 50;
/** How much the first places count more than those behind them. */
const FLATNESS = 60;

/** Those whose meaning is asked for: the best by their words, then others as they stand. */
export function candidatesOf(byWords: readonly Passage[], all: readonly Passage[]): Passage[] {
  const known = new Set(byWords.map(placeOf));
  return [...byWords, ...all.filter((one) => !known.has(placeOf(one)))].slice(0, MOST_TEXTS - 1);
}

/** Nearest first. `vectors`: of each passage, in their order. */
export function byMeaning(asked: readonly number[], passages: readonly Passage[], vectors: readonly (readonly number[])[]): Passage[] {
  return passages
    .map((passage, at) => ({ passage, near: cosine(asked, vectors[at] ?? []) }))
    .toSorted((a, b) => b.near - a.near)
    .map(({ passage }) => passage);
}

/** Best first: what stands high in one order, or in both. */
export function fused(orders: readonly (readonly Passage[])[], most: number): Ranked[] {
  const ranked = new Map<string, Ranked>();
  for (const order of orders)
    for (const [at, { path, line, text }] of order.slice(0, MOST_RANKED).entries()) {
      const before = ranked.get(placeOf({ path, line }))?.score ?? 0;
      ranked.set(placeOf({ path, line }), { path, line, text, score: before + 1 / (FLATNESS + at + 1) });
    }
  return [...ranked.values()]
    .toSorted((a, b) => b.score - a.score || (a.path < b.path ? -1 : 1) || a.line - b.line)
    .slice(0, most)
    .map((one) => ({ ...one, score: Number(one.score.toFixed(5)) }));
}

function placeOf({ path, line }: Pick<Passage, 'path' | 'line'>): string {
  return `${line}:${path}`;
}

function cosine(one: readonly number[], other: readonly number[]): number {
  const dot = one.reduce((sum, value, at) => sum + value * (other[at] ?? 0), 0);
  const length = (of: readonly number[]): number => Math.sqrt(of.reduce((sum, value) => sum + value * value, 0));
  const lengths = length(one) * length(other);
  return lengths === 0 ? 0 : dot / lengths;
}
