// The evidence of an agent, newest first, page by page.
import type { EvidenceLane } from '#contract/states.ts';
import { usePages } from '../../api/query.ts';
import { List, Under } from '../../kit/list.tsx';
import { Empty } from '../../kit/page.tsx';
import { State } from '../../kit/state.tsx';
import { When } from '../../kit/when.tsx';
import { LANE_NAMES, lookOf, words } from './words.ts';

export function Timeline({ name, lane }: { name: string; lane: EvidenceLane | undefined }) {
  const pages = usePages('agentEvidence', 'timeline', { params: { name }, query: { limit: 50, ...(lane !== undefined && { lane }) } });
  return (
    <List
      label="Evidence"
      pages={pages}
      keyOf={({ id }) => id}
      empty={
        <Empty title="There is nothing in this lane yet." command={`npx svc call ${name}`}>
          Deployments, reviews, proofs, grants and calls come here.
        </Empty>
      }
      columns={[
        {
          head: 'What',
          wide: true,
          cell: ({ label, summary, confidence }) => (
            <>
              {label}
              <Under>
                {summary}
                {confidence !== 'strict' && ` (${confidence})`}
              </Under>
            </>
          ),
        },
        { head: 'Lane', cell: ({ lane: of, type }) => `${LANE_NAMES[of]}: ${words(type)}` },
        { head: 'State', cell: ({ status }) => (status === null ? '–' : <State of={lookOf(status)} label={words(status)} />) },
        { head: 'When', end: true, cell: ({ time }) => <When at={time} /> },
      ]}
    />
  );
}
