// What is looked at on the page of an agent's evidence.
import { EVIDENCE_LANES, type EvidenceLane } from '#contract/states.ts';
import { oneIn, present } from '../kit/search.ts';

export interface EvidenceSearch {
  view?: 'graph' | undefined;
  lane?: EvidenceLane | undefined;
}

const VIEWS = ['graph'] as const;

export const readEvidenceSearch = (search: Record<string, unknown>): EvidenceSearch =>
  present({ view: oneIn(VIEWS, search.view), lane: oneIn(EVIDENCE_LANES, search.lane) });

export interface InsightsSearch {
  days?: InsightDays | undefined;
  by?: 'skill' | 'version' | 'caller' | undefined;
}

export const INSIGHT_DAYS = ['1', '7', '30', '90', '365'] as const;
type InsightDays = (typeof INSIGHT_DAYS)[number];
const GROUPS = ['skill', 'version', 'caller'] as const;

export const readInsightsSearch = (search: Record<string, unknown>): InsightsSearch =>
  present({ days: oneIn(INSIGHT_DAYS, typeof search.days === 'number' ? String(search.days) : search.days), by: oneIn(GROUPS, search.by) });
