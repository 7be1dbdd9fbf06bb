// What the page of usage reads of its period.
import { pagesOf, read } from '../../api/query.ts';
import { type Grouping, thisMonth } from './period.ts';

export interface Wanted {
  from?: string;
  to?: string;
  by?: Grouping;
}

export const periodOf = ({ from, to }: Wanted): { from: string; to: string } => ({ ...thisMonth(Date.now()), ...(from && { from }), ...(to && { to }) });

/** The sums of each day, those of each group, and the newest calls. */
export function usageReads({ by = 'agent', ...wanted }: Wanted) {
  const period = periodOf(wanted);
  return [
    read('llmUsage', 'list', { query: { ...period, group_by: 'day', limit: 1 } }),
    read('llmUsage', 'list', { query: { ...period, group_by: by, limit: 1 } }),
    pagesOf('llmUsage', 'list', { query: { ...period, limit: 50 } }),
  ] as const;
}
