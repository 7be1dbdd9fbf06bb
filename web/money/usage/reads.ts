// What the page of usage reads of its period.
import { pagesOf, read } from '../../api/query.ts';
import { now } from '../../api/visit.ts';
import type { UsageSearch } from '../pages.ts';
import { thisMonth } from './period.ts';

export const periodOf = ({ from, to }: UsageSearch): { from: string; to: string } => ({ ...thisMonth(now()), ...(from && { from }), ...(to && { to }) });

/** The sums of each day, those of each group, and the newest calls. */
export function usageReads({ by = 'agent', ...wanted }: UsageSearch) {
  const period = periodOf(wanted);
  return [
    read('llmUsage', 'list', { query: { ...period, group_by: 'day', limit: 1 } }),
    read('llmUsage', 'list', { query: { ...period, group_by: by, limit: 1 } }),
    pagesOf('llmUsage', 'list', { query: { ...period, limit: 50 } }),
  ] as const;
}
