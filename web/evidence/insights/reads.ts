// What the page of an agent's insights reads, by what is looked at.
import { read } from '../../api/query.ts';
import { now } from '../../api/visit.ts';
import type { InsightsSearch } from '../search.ts';

const HOUR = 3_600_000;

/** So many days before this hour: the same address for an hour. @param now milliseconds since the epoch */
export function since(days: number, now: number): string {
  return new Date(Math.floor(now / HOUR) * HOUR - days * 24 * HOUR).toISOString();
}

export const callsInput = (name: string, { days = '7', by = 'skill' }: InsightsSearch) => ({
  params: { name },
  query: { from: since(Number(days), now()), by },
});

export const insightsReads = (name: string, search: InsightsSearch) =>
  [read('agentInsights', 'calls', callsInput(name, search)), read('agentInsights', 'payouts', { params: { name }, query: {} })] as const;
