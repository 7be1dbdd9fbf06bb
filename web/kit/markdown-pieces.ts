// A long text in pieces that are read one by one: a piece costs a few milliseconds, the whole may be of any
// size. Pure.

/** Characters of a piece, about. */
const PIECE = 20_000;
/** A place to cut is looked for in so much of the end of a piece. */
const LOOKED_AT = 5_000;

/**
 * The first pieces of the text, at most `most`, and how many characters are left. Cut between paragraphs
 * where it can be, not in a block of code.
 */
export function piecesOf(text: string, most: number): { pieces: string[]; left: number } {
  const pieces: string[] = [];
  let at = 0;
  while (at < text.length && pieces.length < most) {
    const end = text.length - at <= PIECE ? text.length : at + cut(text.slice(at, at + PIECE));
    pieces.push(text.slice(at, end));
    at = end;
  }
  return { pieces, left: text.length - at };
}

/** Where to end a piece that is longer than this. */
function cut(piece: string): number {
  const fences = [...piece.matchAll(/^ {0,3}(?:`{3,}|~{3,})/gm)].map(({ index }) => index);
  // An odd number of fences: the last one opens a block.
  const open = fences.length % 2 === 1 ? fences.at(-1) : undefined;
  const until = open !== undefined && open > piece.length - LOOKED_AT ? open : piece.length;
  for (const between of ['\n\n', '\n', ' ']) {
    const position = piece.lastIndexOf(between, until - 1);
    if (position > piece.length - LOOKED_AT) return position + between.length;
  }
  const last = piece.charCodeAt(piece.length - 1);
  // Not between the halves of one character.
  return last >= 0xd800 && last <= 0xdbff ? piece.length - 1 : piece.length;
}
