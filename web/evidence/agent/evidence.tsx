// What is known of an agent: the dossier, then all of it by time or as a graph.
import { SegmentedControl, Select, Skeleton, Stack } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import { lazy, Suspense } from 'react';
import { EVIDENCE_LANES } from '#contract/states.ts';
import { Section } from '../../kit/page.tsx';
import { oneIn } from '../../kit/search.ts';
import type { EvidenceSearch } from '../search.ts';
import { Dossier } from './dossier.tsx';
import { Timeline } from './timeline.tsx';
import { LANE_NAMES } from './words.ts';

const Graph = lazy(async () => ({ default: (await import('./graph.tsx')).Graph }));
const mine = getRouteApi('/agents/mine/$name/evidence');
const shown = getRouteApi('/agents/$name/evidence');

/** Of an agent of the reader's. */
export function MineEvidence() {
  const { name } = mine.useParams();
  const navigate = mine.useNavigate();
  return <Evidence name={name} search={mine.useSearch()} show={(search) => void navigate({ search, replace: true })} />;
}

/** Of any agent that the reader may see. */
export function AgentEvidence() {
  const { name } = shown.useParams();
  const navigate = shown.useNavigate();
  return <Evidence name={name} search={shown.useSearch()} show={(search) => void navigate({ search, replace: true })} />;
}

function Evidence({ name, search, show }: { name: string; search: EvidenceSearch; show(search: EvidenceSearch): void }) {
  const { view, lane } = search;
  const look = (
    <SegmentedControl
      size="xs"
      aria-label="View of the evidence"
      value={view ?? 'timeline'}
      onChange={(value) => show(value === 'graph' ? { view: 'graph' } : {})}
      data={[
        { value: 'timeline', label: 'Timeline' },
        { value: 'graph', label: 'Graph' },
      ]}
    />
  );
  const lanes = (
    <Select
      size="xs"
      w={140}
      aria-label="Lane"
      placeholder="All lanes"
      clearable
      clearButtonProps={{ 'aria-label': 'Show all lanes' }}
      value={lane ?? null}
      onChange={(value) => show({ lane: oneIn(EVIDENCE_LANES, value) })}
      data={EVIDENCE_LANES.map((value) => ({ value, label: LANE_NAMES[value] }))}
    />
  );
  return (
    <Stack gap="xl">
      <Dossier name={name} />
      <Section
        title="Evidence"
        lead="Every line is a record of the platform; nothing here is written by hand. It has no arguments, results or logs."
        actions={
          <>
            {view === undefined && lanes}
            {look}
          </>
        }
      >
        <Suspense fallback={<Skeleton h={300} />}>{view === 'graph' ? <Graph name={name} /> : <Timeline name={name} lane={lane} />}</Suspense>
      </Section>
    </Stack>
  );
}
