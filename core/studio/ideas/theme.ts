// What a person calls a theme, as words to compare, as a line to show and as a part of a name. Pure.

/** In no theme of their own. */
const SMALL_WORDS = new Set('a an and at by for from in my of on or our the to with your agent agents'.split(' '));
const MOST_WORDS = 12;
const LONGEST_WORD = 40;
const LONGEST_SLUG = 30;

/** Without what is not seen: control characters, halves of characters, spaces in a row. */
export function lineOf(theme: string): string {
  return theme
    .toWellFormed()
    .replaceAll(/[\p{C}\p{Z}\s]+/gu, ' ')
    .trim();
}

/** In lower case, each once, letters and digits only: nothing of any query language gets through. */
export function wordsOfTheme(theme: string): string[] {
  const all =
    lineOf(theme)
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? [];
  const words = [...new Set(all.filter((word) => word.length > 1 && word.length <= LONGEST_WORD && !SMALL_WORDS.has(word)))];
  return words.slice(0, MOST_WORDS);
}

/** One word in the forms in which it may stand elsewhere. */
export function formsOf(word: string): string[] {
  return word.length > 3 && word.endsWith('s') ? [word, word.slice(0, -1)] : [word, `${word}s`];
}

/** Of an agent's name; never empty. */
export function ideaSlug(theme: string): string {
  const plain = theme
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/[^a-z0-9]+/g, '-');
  return plain.replace(/^-/, '').slice(0, LONGEST_SLUG).replace(/-$/, '') || 'idea';
}
