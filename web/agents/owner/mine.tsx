// The agents of the reader.
import { Group, Text, TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { IconPlus, IconSearch } from '@tabler/icons-react';
import { getRouteApi } from '@tanstack/react-router';
import { lazy, Suspense, useState } from 'react';
import { type Pages, useRead } from '../../api/query.ts';
import { refreshInterval } from '../../api/refresh-interval.ts';
import type { Output } from '../../api/client.ts';
import { ButtonLink, PageLink } from '../../kit/page-link.tsx';
import { List, Under } from '../../kit/list.tsx';
import { Empty, Loading, Page } from '../../kit/page.tsx';
import { State } from '../../kit/state.tsx';
import { When } from '../../kit/when.tsx';
import { number } from '../../kit/number.ts';

const Make = lazy(async () => ({ default: (await import('./make.tsx')).Make }));

const route = getRouteApi('/agents/mine');
const MOST = 1000;
const AT_ONCE = 100;

type Agent = Output<'agents', 'mine'>[number];

export function Mine() {
  const { q = '', make } = route.useSearch();
  const navigate = route.useNavigate();
  const all = useRead(
    'agents',
    'mine',
    { query: { limit: MOST } },
    { every: (last) => refreshInterval(last?.some(({ state }) => state === 'deploying') ? 3_000 : 30_000)() },
  );
  const search = useDebouncedCallback((text: string) => void navigate({ search: (was) => ({ ...was, q: text || undefined }), replace: true }), 150);
  const matches = all.filter((agent) => fits(agent, q));
  const isMaking = make !== undefined;
  return (
    <Page
      title="My agents"
      actions={
        !isMaking && (
          <ButtonLink leftSection={<IconPlus size={16} />} to="/agents/mine" search={{ make: 'template' as const }}>
            Create an agent
          </ButtonLink>
        )
      }
    >
      {isMaking && (
        <Suspense fallback={<Loading />}>
          <Make way={make} />
        </Suspense>
      )}
      {all.length > 8 && (
        <TextInput
          aria-label="Find by name, description or tag"
          placeholder="Name, description or tag"
          leftSection={<IconSearch size={15} />}
          defaultValue={q}
          maw={360}
          onChange={(event) => search(event.currentTarget.value)}
        />
      )}
      {all.length === MOST && (
        <Text size="sm" c="dimmed">
          The first {number(MOST)} by name.
        </Text>
      )}
      <List
        key={q}
        label="My agents"
        pages={useSlices(matches)}
        keyOf={({ name }) => name}
        empty={q === '' ? isMaking ? null : <NoAgents /> : <Empty title="None of your agents fits.">Try fewer letters.</Empty>}
        columns={[
          {
            head: 'Agent',
            wide: true,
            cell: ({ name, description }) => (
              <>
                <PageLink to="/agents/mine/$name" params={{ name }} fw={600} size="sm">
                  {name}
                </PageLink>
                {description && <Under>{description.slice(0, 200)}</Under>}
              </>
            ),
          },
          { head: 'State', cell: (agent) => <StateOf agent={agent} /> },
          { head: 'Version', cell: ({ version }) => version ?? '–' },
          { head: 'Listed', cell: ({ visibility }) => visibility },
          { head: 'Calls', end: true, cell: ({ call_count }) => number(call_count) },
          { head: 'Last deployed', end: true, cell: ({ last_deployment }) => (last_deployment ? <When at={last_deployment.created_at} /> : 'never') },
        ]}
      />
    </Page>
  );
}

function NoAgents() {
  return (
    <Empty
      title="You have no agents yet."
      action={
        <ButtonLink to="/agents/mine" search={{ make: 'template' as const }} variant="filled">
          Create an agent
        </ButtonLink>
      }
      command="svc init my-agent && cd my-agent && svc deploy"
    >
      An agent is a class with typed skills. Make one on your machine, or{' '}
      <PageLink to="/agents/mine" search={{ make: 'template' as const }} inherit underline="always">
        here
      </PageLink>
      .
    </Empty>
  );
}

function StateOf({ agent: { state, out_of_service, last_deployment, imported } }: { agent: Agent }) {
  const failed = last_deployment?.state === 'failed' && state === 'live';
  return (
    <Group gap={4}>
      {out_of_service ? <State of="failing" label="out of service" /> : <State of={state} />}
      {failed && <State of="failed" label="newest failed" />}
      {imported?.unanswered_since != null && !out_of_service && <State of="unanswered" label="does not answer" />}
    </Group>
  );
}

function fits({ name, description, tags, skills }: Agent, q: string): boolean {
  const text = [name, description, ...tags, ...skills].join(' ').toLowerCase();
  return q
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}

/** What is there already, shown part by part. */
function useSlices<T>(all: readonly T[]): Pages<T> {
  const [count, setCount] = useState(AT_ONCE);
  return { items: all.slice(0, count), hasMore: all.length > count, isLoadingMore: false, loadMore: () => setCount(count + AT_ONCE) };
}
