// Sums of calls are kept by one question at a time: a facet. What there is no sum of, the ends of a window
// and what is not counted, is read by the same.
import type { CallFacet } from '#contract/states.ts';
import { countsOf, type Slices } from './window.ts';

/**
 * SQL: the word and the caller that a call is counted under; durations are told apart where percentiles are
 * read from them.
 */
const FACETS: Record<CallFacet, { word?: string; relation?: string; bucket: boolean }> = {
  all: { bucket: true },
  skill: { word: 'skill', bucket: true },
  version: { word: 'version', bucket: true },
  caller: { relation: 'relation', bucket: true },
  code: { word: 'error_code', bucket: false },
  earned: { word: 'skill', relation: 'relation', bucket: false },
};

const wordsOf = ({ word, relation, bucket }: (typeof FACETS)[CallFacet], of: string): string =>
  [word === undefined ? `''` : `${of}.${word}`, relation === undefined ? `''` : `${of}.${relation}`, bucket ? `${of}.bucket` : 'null::int'].join(', ');

/** SQL: rows (facet, word, relation, bucket) of a call. */
export function facetsOf(of: string): string {
  return Object.entries(FACETS)
    .map(([facet, words]) => `('${facet}', ${wordsOf(words, of)})`)
    .join(', ');
}

/** SQL over rows with (bucket, calls), each bucket once: {"17": 3}, as histogram_sum() adds them up. */
export const HISTOGRAM = `coalesce(json_object_agg(bucket, calls) filter (where bucket is not null), '{}')`;

/**
 * SQL: rows (at, word, relation, status, calls, duration_ms, histogram) of the window, by a facet, several
 * for the same words and time; `s` has the calls of which there is no sum.
 */
export function facetRows(facet: CallFacet, slices: Slices): string {
  const unsummed = `select at, word, relation, status, sum(calls)::bigint, sum(duration_ms)::bigint, ${HISTOGRAM} from (
      select date_trunc('hour', s.at, 'UTC'), ${wordsOf(FACETS[facet], 's')}, s.status, count(*), sum(s.duration_ms)
      from s${facet === 'code' ? ` where s.status = 'error'` : ''} group by 1, 2, 3, 4, 5
    ) cells(at, word, relation, bucket, status, calls, duration_ms) group by 1, 2, 3, 4`;
  return [unsummed, ...countsOf('call_sums', 'since, word, relation, status, calls, duration_ms, histogram', slices, `facet = '${facet}'`)].join(' union all ');
}
