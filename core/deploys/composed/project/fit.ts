// How well what an agent says of itself fits words that say what is wanted. Copied into composed agents that
// plan by goal; it imports nothing.

/** What it says in one place. */
export interface Field {
  /** What a word found here counts, 0 to 1. */
  weight: number;
  words: readonly string[];
}

export interface Said {
  /** What the word counts beside the others. */
  weight: number;
  /** 0 to 1: the best place where it is said. */
  found: number;
}

export interface Fit {
  /** 0 to 1: each word counts as much as the best place where it is said. */
  score: number;
  /** 0 to 1: how much of the words is said at all. */
  share: number;
}

const MOST_WORDS = 24;
const MOST_READ = 4_000;

/** Of English and German sentences; what is left says what is wanted. */
const EMPTY = new Set(
  `a about am an and any are as at be but by can could did do does for from get give had has have hello help hey hi how i if in into is it its just let like make me my
   need of on or our please she so some tell than that the their them then there these they this to up us use want was we what when where which who will with would you your
   bitte das dem den der die ein eine einen für hallo ich ist kann kannst mein meine mir mit soll und von was wie wir zu`.split(/\s+/),
);

export function wordsOf(text: string, most = MOST_WORDS): string[] {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]{2,64}/gu) ?? [];
  return [...new Set(words)].filter((word) => !EMPTY.has(word)).slice(0, most);
}

export function field(weight: number, text: string): Field {
  return {
    weight,
    words: [
      ...new Set(
        text
          .slice(0, MOST_READ)
          .toLowerCase()
          .match(/[\p{L}\p{N}]+/gu) ?? [],
      ),
    ],
  };
}

/** 0 to 1: the best place that says the word, in any of its spellings. */
export function weightOf(fields: readonly Field[], spellings: readonly string[]): number {
  return Math.max(0, ...fields.map(({ weight, words }) => (words.some((one) => spellings.some((word) => isSame(one, word))) ? weight : 0)));
}

export function fitOf(said: readonly Said[]): Fit {
  const all = said.reduce((sum, { weight }) => sum + weight, 0);
  if (all === 0) return { score: 0, share: 0 };
  return {
    score: said.reduce((sum, { weight, found }) => sum + weight * found, 0) / all,
    share: said.reduce((sum, { weight, found }) => sum + (found > 0 ? weight : 0), 0) / all,
  };
}

/** "summaries" and "summarize" are, "sum" and "summer" are not. */
function isSame(a: string, b: string): boolean {
  if (a === b) return true;
  const shorter = Math.min(a.length, b.length);
  if (shorter < 4) return false;
  const stem = Math.max(4, shorter - 2);
  return a.slice(0, stem) === b.slice(0, stem);
}
