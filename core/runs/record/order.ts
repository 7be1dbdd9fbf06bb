// In which order the list of runs is read, and where a page of it begins. Of each source an index has the
// same order.
import type { RunSort } from '#contract/runs/my-runs.ts';
import { decodeCursor } from '../../kernel/page.ts';
import { BadRequest } from '../../kernel/errors.ts';
import { instantOf, microseconds } from '../../kernel/keyset.ts';

/** Behind which a page begins: what is sorted by, and the id there. */
export interface Place {
  at: number;
  id: string;
}

/** SQL of one source, our own text. */
export interface Keys {
  created: string;
  id: string;
  /** Milliseconds, and what is true of all that has ended. Absent: of this source nothing has. */
  duration?: { ms: string; ended?: string };
  /** Micro-dollars. Absent: nothing of this source costs anything. */
  cost?: string;
}

export const isRising = (sort: RunSort): boolean => sort === 'oldest';

/** Undefined: nothing of this source is in that order. */
export function orderOf(sort: RunSort, place: Place | undefined, keys: Keys): { value: string; conditions: string[]; order: string } | undefined {
  const sorted = sort === 'longest' ? keys.duration?.ms : sort === 'costliest' ? keys.cost : keys.created;
  if (sorted === undefined) return undefined;
  const isTime = sorted === keys.created;
  const [direction, before] = isRising(sort) ? ['asc', '>'] : ['desc', '<'];
  return {
    value: isTime ? microseconds(sorted) : `cast(${sorted} as bigint)`,
    conditions: [
      ...(sort === 'longest' && keys.duration?.ended !== undefined ? [keys.duration.ended] : []),
      ...(sort === 'costliest' ? [`${sorted} > 0`] : []),
      ...(place ? [`(${sorted}, ${keys.id}) ${before} (${isTime ? instantOf('at') : 'cast(:at as bigint)'}, :id)`] : []),
    ],
    order: `${sorted} ${direction}, ${keys.id} ${direction}`,
  };
}

/** @throws BadRequest bad_cursor, of another order too */
export function placeOf(sort: RunSort, cursor: string | undefined): Place | undefined {
  if (cursor === undefined) return undefined;
  const [of, at, id] = decodeCursor(cursor, ['string', 'number', 'string']);
  if (of !== sort) throw new BadRequest('bad_cursor', 'cursor is of a list in another order: begin again without it');
  return { at, id };
}

export function inSort(sort: RunSort): (a: { at: number; key: string }, b: { at: number; key: string }) => number {
  const sign = isRising(sort) ? 1 : -1;
  return (a, b) => sign * (a.at - b.at || (a.key < b.key ? -1 : 1));
}
