// What was decided: calls of agents, authorizations, changes by people.
import { Group, Select, TextInput } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import { Suspense } from 'react';
import { DECISION_KINDS, DECISION_OUTCOMES } from '#contract/states.ts';
import type { Output } from '../../api/client.ts';
import { usePages } from '../../api/query.ts';
import { List, Under, type Column } from '../../kit/list.tsx';
import { Empty, Loading } from '../../kit/page.tsx';
import { PageLink } from '../../kit/page-link.tsx';
import { State } from '../../kit/state.tsx';
import { When } from '../../kit/when.tsx';
import { Frame } from './frame.tsx';
import type { RecordSearch } from './search.ts';
import { inWords } from '../../kit/in-words.ts';

type Decision = Output<'compliance', 'records'>['items'][number];
const route = getRouteApi('/organizations/$slug/compliance/records');

export function Records() {
  const { slug } = route.useParams();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const set = (next: RecordSearch): void => void navigate({ search: (before) => ({ ...before, ...next }), replace: true });
  return (
    <Frame slug={slug} lead="Facts and hashes of what was decided, never contents. Calls are signed.">
      <Group gap="xs">
        <Select
          aria-label="Kind"
          placeholder="All kinds"
          size="xs"
          clearable
          data={DECISION_KINDS.map((value) => ({ value, label: inWords(value) }))}
          value={search.kind ?? null}
          onChange={(kind) => set({ kind: DECISION_KINDS.find((one) => one === kind) })}
        />
        <Select
          aria-label="Outcome"
          placeholder="All outcomes"
          size="xs"
          clearable
          data={[...DECISION_OUTCOMES]}
          value={search.outcome ?? null}
          onChange={(outcome) => set({ outcome: DECISION_OUTCOMES.find((one) => one === outcome) })}
        />
        <TextInput
          aria-label="Agent"
          placeholder="All agents"
          size="xs"
          defaultValue={search.agent ?? ''}
          onBlur={({ currentTarget: { value } }) => set({ agent: /^[a-z0-9-]+$/.test(value) ? value : undefined })}
        />
      </Group>
      <Suspense fallback={<Loading />}>
        <RecordList slug={slug} search={search} />
      </Suspense>
    </Frame>
  );
}

function RecordList({ slug, search }: { slug: string; search: RecordSearch }) {
  const pages = usePages('compliance', 'records', { params: { slug }, query: { ...search, limit: 50 } }, { every: 30_000 });
  return (
    <List label="Decision records" pages={pages} columns={columnsOf(slug)} keyOf={({ record_id }) => record_id} empty={<Empty title="Nothing was decided" />} />
  );
}

const columnsOf = (slug: string): Column<Decision>[] => [
  {
    head: 'What',
    wide: true,
    cell: ({ action, kind, record_id, agent }) => (
      <>
        <PageLink to="/organizations/$slug/compliance/records/$kind/$id" params={{ slug, kind, id: record_id }} size="sm" fw={600}>
          {inWords(action)}
        </PageLink>
        <Under>
          {inWords(kind)}
          {agent !== null && ` of ${agent}`}
        </Under>
      </>
    ),
  },
  { head: 'Outcome', cell: ({ outcome }) => <State of={outcome} /> },
  {
    head: 'By',
    cell: ({ actor }) => (
      <>
        {inWords(actor.kind)}
        <Under>{actor.id}</Under>
      </>
    ),
  },
  { head: 'Recorded', cell: ({ recorded_at }) => <When at={recorded_at} /> },
];
