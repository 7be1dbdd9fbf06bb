// What a query asks for, as the index knows it: letters and digits, each word also as the beginning of a
// longer one.

const MAX_WORDS = 12;
/** Say nothing of a file when any word may match. */
const COMMON = new Set(
  'a all an and are as at be by for from how i in is it me my of on or please that the these this to use we what which with you your'.split(' '),
);

export function wordsOf(text: string, most = MAX_WORDS): string[] {
  const words =
    text
      .toLowerCase()
      .normalize('NFC')
      .match(/[\p{L}\p{N}]+/gu) ?? [];
  return [...new Set(words)].slice(0, most);
}

/** Those worth looking for one by one. */
export function tellingWords(words: readonly string[]): string[] {
  const telling = words.filter((word) => !COMMON.has(word));
  return telling.length > 0 ? telling : [...words];
}

/**
 * A tsquery. `parts` of the file: A its name, B its folders, D its content; all of them by default. Words
 * hold letters and digits only.
 */
export function tsquery(words: readonly string[], joined: '&' | '|', parts = ''): string {
  return words.map((word) => `'${word}':${word.length < 3 ? '' : '*'}${parts}`.replace(/:$/, '')).join(` ${joined} `);
}

/** "summarize" is found in "summary" and "summarizes": the beginnings of longer words are compared. */
export function isIn(texts: ReadonlySet<string>, word: string): boolean {
  if (texts.has(word)) return true;
  if (word.length < 5) return false;
  const stem = word.slice(0, Math.max(5, word.length - 3));
  for (const text of texts) if (text.startsWith(stem)) return true;
  return false;
}
