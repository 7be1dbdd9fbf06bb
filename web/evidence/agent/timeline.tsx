// The evidence of an agent, newest first, page by page.
import type { EvidenceLane } from '#contract/states.ts';
import { type Item, usePages } from '../../api/query.ts';
import { List, Under } from '../../kit/list.tsx';
import { PageLink } from '../../kit/page-link.tsx';
import { Empty } from '../../kit/page.tsx';
import { State } from '../../kit/state.tsx';
import { When } from '../../kit/when.tsx';
import { timelineInput } from './reads.ts';
import { LANE_NAMES, lookOf, words } from './words.ts';

export function Timeline({ name, lane }: { name: string; lane: EvidenceLane | undefined }) {
  const pages = usePages('agentEvidence', 'timeline', timelineInput(name, lane));
  return (
    <List
      label="Evidence"
      pages={pages}
      keyOf={({ id }) => id}
      empty={
        <Empty title="There is nothing in this lane yet." command={`svc call ${name}`}>
          Deployments, reviews, proofs, grants and calls come here.
        </Empty>
      }
      columns={[
        {
          head: 'What',
          wide: true,
          cell: (item) => (
            <>
              <What agent={name} item={item} />
              <Under>
                {item.summary}
                {item.confidence !== 'strict' && ` (${item.confidence})`}
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

/** Its name, which leads to the page of the record where there is one. */
function What({ agent, item: { id, type, label } }: { agent: string; item: Item<'agentEvidence', 'timeline'> }) {
  const own = id.slice(type.length + 1);
  if (type === 'receipt') {
    return (
      <PageLink to="/receipts" search={{ agent, id: own }} size="sm">
        {label}
      </PageLink>
    );
  }
  if (type === 'job') {
    return (
      <PageLink to="/jobs/$job_id" params={{ job_id: own }} size="sm">
        {label}
      </PageLink>
    );
  }
  if (type === 'grant') {
    return (
      <PageLink to="/grants/$grant_id" params={{ grant_id: own }} size="sm">
        {label}
      </PageLink>
    );
  }
  return label;
}
