// What a server says of a page that it has rendered, as JSON beside it: what was read for it, so that the
// browser need not ask again.
import { type DehydratedState, hydrate } from '@tanstack/react-query';
import { queries } from '../api/query.ts';
import { renderedAt } from '../api/visit.ts';

export interface Rendered {
  /** Milliseconds since the epoch, of the server. */
  at: number;
  read: DehydratedState;
}

/** Takes it up, or away where it is not wanted. @returns false: the page is made here */
export function takeRendered(isWanted: boolean): boolean {
  const element = document.getElementById('rendered');
  if (!element) return false;
  element.remove();
  if (!isWanted) {
    document.getElementById('root')?.replaceChildren();
    return false;
  }
  const { at, read } = asRendered(JSON.parse(element.textContent ?? ''));
  // By the clock of this browser: what was read is as new as if it had asked itself.
  for (const { state } of read.queries) {
    state.dataUpdatedAt = Date.now();
    // The first page is asked for with no cursor, which JSON writes as null.
    if (isPaged(state.data)) state.data.pageParams = state.data.pageParams.map((cursor) => cursor ?? undefined);
  }
  hydrate(queries(), read);
  renderedAt(at);
  return true;
}

/** Of a list that is read page by page. */
export function isPaged(data: unknown): data is { pages: unknown[]; pageParams: unknown[] } {
  return typeof data === 'object' && data !== null && 'pageParams' in data && Array.isArray(data.pageParams) && 'pages' in data;
}

// Safe: our own server wrote it (web/server/render.tsx).
function asRendered(value: unknown): Rendered {
  return value as Rendered;
}
