// A line as pieces of text with colors, made of React elements later: never of HTML. Loaded only with the
// log.
import Anser from 'anser';
import { readableColor } from './color.ts';

export interface Piece {
  text: string;
  color?: string;
  bold?: true;
  dim?: true;
  italic?: true;
  underline?: true;
  /** Found by the search. */
  found?: true;
}

/** @param shown a line as log-lines.ts cleaned it */
export function piecesOf(shown: string, query: string): Piece[] {
  const pieces = shown.includes('\x1b') ? colored(shown) : [{ text: shown }];
  return query === '' ? pieces : pieces.flatMap((piece) => marked(piece, query));
}

function colored(shown: string): Piece[] {
  return Anser.ansiToJson(shown, { json: true, remove_empty: true }).map(({ content, fg, decorations }) => ({
    text: content,
    // Backgrounds and inverted colors are left out: with them a text can be made that is not seen.
    ...(fg && { color: readableColor(fg) }),
    ...(decorations.includes('bold') && { bold: true as const }),
    ...(decorations.includes('dim') && { dim: true as const }),
    ...(decorations.includes('italic') && { italic: true as const }),
    ...(decorations.includes('underline') && { underline: true as const }),
  }));
}

/** What lies over two colors is marked where it lies in one. */
function marked(piece: Piece, query: string): Piece[] {
  const [text, wanted] = [piece.text.toLowerCase(), query.toLowerCase()];
  const pieces: Piece[] = [];
  let from = 0;
  for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, from)) {
    if (at > from) pieces.push({ ...piece, text: piece.text.slice(from, at) });
    pieces.push({ ...piece, text: piece.text.slice(at, at + wanted.length), found: true });
    from = at + wanted.length;
  }
  if (from < piece.text.length) pieces.push({ ...piece, text: piece.text.slice(from) });
  return pieces;
}
