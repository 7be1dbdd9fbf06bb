// What a query asks for, as the index knows it: letters and digits, each word also as the beginning of a longer one.

const MAX_WORDS = 12;
/** Say nothing of a file when any word may match. */
const COMMON = new Set(
  'a all an and are as at be by for from how i in is it me my of on or please that the these this to use we what which with you your'.split(' '),
);

export function wordsOf(text: string): string[] {
  const words =
    text
      .toLowerCase()
      .normalize('NFC')
      .match(/[\p{L}\p{N}]+/gu) ?? [];
  return [...new Set(words)].slice(0, MAX_WORDS);
}

/** Those worth looking for one by one. */
export function tellingWords(words: readonly string[]): string[] {
  const telling = words.filter((word) => !COMMON.has(word));
  return telling.length > 0 ? telling : [...words];
}

/** A tsquery. `parts` of the file: A its name, B its folders, D its content; all of them by default. Words hold letters and digits only. */
export function tsquery(words: readonly string[], joined: '&' | '|', parts = ''): string {
  return words.map((word) => `'${word}':${word.length < 3 ? '' : '*'}${parts}`.replace(/:$/, '')).join(` ${joined} `);
}
