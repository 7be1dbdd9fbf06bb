// Sums of calls are kept by one question at a time: a facet. What there is no sum of, the ends of a window and what is not counted, is read by the same.
import type { CallFacet } from '#contract/states.ts';
import { countsOf, type Slices } from './window.ts';

/** SQL: the word, the caller and the bucket that a call is counted under; durations are told apart where percentiles are read from them. */
const FACETS: Record<CallFacet, { word?: string; relation?: string; bucket: boolean }> = {
  all: { bucket: true },
  skill: { word: 'skill', bucket: true },
  version: { word: 'version', bucket: true },
  caller: { relation: 'relation', bucket: true },
  code: { word: 'error_code', bucket: false },
  earned: { word: 'skill', relation: 'relation', bucket: false },
};

const wordsOf = ({ word, relation, bucket }: (typeof FACETS)[CallFacet], of: string): string =>
  [word === undefined ? `''` : `${of}.${word}`, relation === undefined ? `''` : `${of}.${relation}`, bucket ? `${of}.bucket` : '0'].join(', ');

/** SQL: rows (facet, word, relation, bucket) of a call. */
export function facetsOf(of: string): string {
  return Object.entries(FACETS)
    .map(([facet, words]) => `('${facet}', ${wordsOf(words, of)})`)
    .join(', ');
}

/** SQL: rows (at, word, relation, bucket, status, calls, duration_ms) of the window, by a facet; `s` has those of which there is no sum. */
export function facetRows(facet: CallFacet, slices: Slices): string {
  const summed = countsOf('call_sums', 'since, word, relation, bucket, status, calls, duration_ms', { ...slices, hours: [] }, `facet = '${facet}'`);
  return [
    `select s.at, ${wordsOf(FACETS[facet], 's')}, s.status, s.calls, s.duration_ms from s${facet === 'code' ? ` where s.status = 'error'` : ''}`,
    ...summed,
  ].join(' union all ');
}
