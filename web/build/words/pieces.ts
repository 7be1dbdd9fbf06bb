// A message is a text with the parts that stand in it: values, elements, choices. It is written in ICU
// MessageFormat, which translators and their tools read.
export interface Range {
  start: number;
  end: number;
}

/** A value, or an element without text of its own: `{count}`. */
export interface Value {
  is: 'value';
  name: string;
  /** The expression, or the element. */
  at: Range;
  /** As it stands in JSX: `{count}`, `<When … />`. Absent in a string. */
  child: Range | undefined;
}

/** An element around text: `<anchor>Open run</anchor>`. */
export interface Tag {
  is: 'tag';
  name: string;
  open: Range;
  close: Range;
  inner: Piece[];
}

/**
 * By a number: `{count, plural, one {run} other {runs}}`; by a condition: `{isOpen, select, yes {Hide}
 * other {Show}}`.
 */
export interface Choice {
  is: 'choice';
  by: 'plural' | 'select';
  name: string;
  /** The number, or the condition. */
  on: Range;
  first: Piece[];
  other: Piece[];
}

export type Piece = string | Value | Tag | Choice;

const FIRST = { plural: 'one', select: 'yes' } as const;

export function print(pieces: readonly Piece[], inPlural = false): string {
  return pieces.map((piece, at) => printOne(piece, inPlural, at === pieces.length - 1)).join('');
}

function printOne(piece: Piece, inPlural: boolean, isLast: boolean): string {
  if (typeof piece === 'string') return quote(piece, inPlural, isLast);
  if (piece.is === 'value') return `{${piece.name}}`;
  if (piece.is === 'tag') return `<${piece.name}>${print(piece.inner, inPlural)}</${piece.name}>`;
  const isPlural = inPlural || piece.by === 'plural';
  return `{${piece.name}, ${piece.by}, ${FIRST[piece.by]} {${print(piece.first, isPlural)}} other {${print(piece.other, isPlural)}}}`;
}

/** An apostrophe begins a quotation only before a sign of the format. */
function quote(text: string, inPlural: boolean, isLast: boolean): string {
  return text.replaceAll(isLast ? /'(?=[{}<>#|'])/g : /'(?=[{}<>#|']|$)/g, "''").replaceAll(inPlural ? /[{}<>#]+/g : /[{}<>]+/g, "'$&'");
}

/** The same without white space around it, and that white space. */
export function trimmed(pieces: readonly Piece[]): { before: string; pieces: Piece[]; after: string } {
  const [first, last] = [pieces[0], pieces.at(-1)];
  const before = typeof first === 'string' ? (/^\s*/.exec(first)?.[0] ?? '') : '';
  const after = typeof last === 'string' && (pieces.length > 1 || before !== first) ? (/\s*$/.exec(last)?.[0] ?? '') : '';
  const inside = pieces.map((piece, at) => {
    if (typeof piece !== 'string') return piece;
    const from = at === 0 ? piece.slice(before.length) : piece;
    return at === pieces.length - 1 && after !== '' ? from.slice(0, -after.length) : from;
  });
  return { before, pieces: inside.filter((piece) => piece !== ''), after };
}

/** Neighbouring texts become one. */
export function joined(pieces: readonly Piece[]): Piece[] {
  const all: Piece[] = [];
  for (const piece of pieces) {
    const last = all.at(-1);
    if (typeof piece === 'string' && typeof last === 'string') all[all.length - 1] = last + piece;
    else if (piece !== '') all.push(piece);
  }
  return all;
}

const LETTER = /\p{L}/u;

/** Whether a reader of it reads a word: values are none. */
export const hasWords = (pieces: readonly Piece[]): boolean =>
  pieces.some((piece) => {
    if (typeof piece === 'string') return LETTER.test(piece);
    if (piece.is === 'value') return false;
    return piece.is === 'tag' ? hasWords(piece.inner) : hasWords(piece.first) || hasWords(piece.other);
  });
