// A few words of a file: around the first place a word of the query stands, else how it starts.

const LENGTH = 200;
const BEFORE = 60;

/** One line; null for nothing to show. */
export function snippetOf(content: string | null, words: readonly string[]): string | null {
  if (content === null) return null;
  const at = firstHit(content, words);
  const from = at > BEFORE ? wordStart(content, at - BEFORE) : 0;
  const text = clean(content.slice(from, from + LENGTH * 2));
  if (text === '') return null;
  const cut = Array.from(text).slice(0, LENGTH).join('');
  return `${from > 0 ? '… ' : ''}${cut}${cut.length < text.length || from + LENGTH * 2 < content.length ? ' …' : ''}`;
}

function firstHit(content: string, words: readonly string[]): number {
  if (words.length === 0) return 0;
  // Words are letters and digits only: nothing of a regular expression's own.
  const hit = new RegExp(`(?<![\\p{L}\\p{N}])(?:${words.join('|')})`, 'iu').exec(content);
  return hit?.index ?? 0;
}

/** The next beginning of a word. */
function wordStart(content: string, from: number): number {
  const space = content.slice(from, from + BEFORE).search(/\s/);
  return space < 0 ? from : from + space + 1;
}

function clean(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(/[\p{Cc}\p{Zl}\p{Zp}\s\u202a-\u202e\u2066-\u2069]+/gu, ' ')
    .trim();
}
