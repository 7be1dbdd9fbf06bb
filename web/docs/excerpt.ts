// The part of a text around the words that were searched for, cut into pieces: those words are marked.

export interface Piece {
  text: string;
  isMarked: boolean;
}

const BEFORE = 60;
const LENGTH = 220;

/** @param terms lower case */
export function excerpt(text: string, terms: readonly string[]): Piece[] {
  const first = matches(text, terms)[0]?.index ?? 0;
  const from = first <= BEFORE ? 0 : wordStart(text, first - BEFORE);
  const to = text.length <= from + LENGTH ? text.length : text.lastIndexOf(' ', from + LENGTH);
  const cut = `${from > 0 ? '… ' : ''}${text.slice(from, to > from ? to : from + LENGTH)}${to < text.length ? ' …' : ''}`;
  return marked(cut, terms);
}

export function marked(text: string, terms: readonly string[]): Piece[] {
  const pieces: Piece[] = [];
  let done = 0;
  for (const { index, 0: word } of matches(text, terms)) {
    if (index > done) pieces.push({ text: text.slice(done, index), isMarked: false });
    pieces.push({ text: word, isMarked: true });
    done = index + word.length;
  }
  if (done < text.length) pieces.push({ text: text.slice(done), isMarked: false });
  return pieces;
}

/** Whole words; the index knows them in lower case. */
function matches(text: string, terms: readonly string[]): RegExpExecArray[] {
  const wanted = new Set(terms);
  return [...text.matchAll(/[\p{L}\p{N}]+/gu)].filter(([word]) => wanted.has(word.toLowerCase()));
}

function wordStart(text: string, at: number): number {
  return text.indexOf(' ', at) + 1;
}
