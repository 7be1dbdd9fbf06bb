// Comments that say of what follows them whether a reader of the page sees it: "// words: shown", "// words:
// code". A reason may follow: "// words: code, keys of a table".
import type { Comment } from 'oxc-parser';

const MARKER = /^\s*\*?\s*words: (shown|code)\b/;
const BETWEEN = /\s*(?:export (?:default )?)?/y;

/** By the place of what follows. */
export function markersOf(text: string, comments: readonly Comment[]): Map<number, 'shown' | 'code'> {
  const markers = new Map<number, 'shown' | 'code'>();
  for (const { value, end } of comments) {
    const says = MARKER.exec(value)?.[1];
    if (says !== 'shown' && says !== 'code') continue;
    const white = text.slice(end).search(/\S/);
    if (white === -1) continue;
    markers.set(end + white, says);
    BETWEEN.lastIndex = end;
    BETWEEN.test(text);
    markers.set(BETWEEN.lastIndex, says);
  }
  return markers;
}
