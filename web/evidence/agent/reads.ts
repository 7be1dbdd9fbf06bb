// What the page of an agent's evidence reads, by what is looked at.
import { pagesOf, read } from '../../api/query.ts';
import type { EvidenceSearch } from '../search.ts';

/** Records that the graph shows. */
export const IN_GRAPH = 80;

export const timelineInput = (name: string, lane: EvidenceSearch['lane']) => ({ params: { name }, query: { limit: 50, ...(lane !== undefined && { lane }) } });

export function evidenceReads(name: string, { view, lane }: EvidenceSearch) {
  const params = { name };
  return [
    read('agentEvidence', 'dossier', { params }),
    view === 'graph' ? read('agentEvidence', 'dag', { params, query: { limit: IN_GRAPH } }) : pagesOf('agentEvidence', 'timeline', timelineInput(name, lane)),
  ] as const;
}
