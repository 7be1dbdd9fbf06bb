// The sessions with one agent: every call that the platform made is one once it has ended.
import { TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { getRouteApi } from '@tanstack/react-router';
import { Suspense, useState } from 'react';
import { usePages } from '../../api/query.ts';
import { List, Under } from '../../kit/list.tsx';
import { Empty, Loading, Page } from '../../kit/page.tsx';
import { PageLink } from '../../kit/page-link.tsx';
import { State } from '../../kit/state.tsx';
import { lasted } from '../../kit/time.ts';
import { When } from '../../kit/when.tsx';
import { number } from '../../kit/number.ts';

const route = getRouteApi('/sessions');

export function Sessions() {
  const { agent } = route.useSearch();
  const navigate = route.useNavigate();
  const [text, setText] = useState(agent ?? '');
  const settle = useDebouncedCallback((value: string) => void navigate({ search: { agent: value.trim() || undefined }, replace: true }), 400);
  return (
    <Page
      title={agent === undefined ? 'Sessions' : `Sessions of ${agent}`}
      lead="The signed logs of an agent's runs: yours, and of your own agent also those of others."
    >
      <TextInput
        label="Agent"
        size="xs"
        maw={320}
        value={text}
        onChange={(event) => {
          setText(event.currentTarget.value);
          settle(event.currentTarget.value);
        }}
      />
      {agent === undefined ? (
        <Empty title="Whose sessions?">Type the name of an agent.</Empty>
      ) : (
        <Suspense fallback={<Loading />}>
          <SessionList agent={agent} />
        </Suspense>
      )}
    </Page>
  );
}

function SessionList({ agent }: { agent: string }) {
  const pages = usePages('agentSessions', 'list', { params: { name: agent }, query: { limit: 50 } }, { every: 10_000 });
  return (
    <List
      label="Sessions"
      pages={pages}
      keyOf={({ session_id }) => session_id}
      columns={[
        {
          head: 'Skill',
          wide: true,
          cell: ({ session_id, skill, version }) => (
            <>
              <PageLink to="/sessions/$session_id" params={{ session_id }}>
                {skill}
              </PageLink>
              <Under>version {version}</Under>
            </>
          ),
        },
        { head: 'State', cell: ({ state }) => <State of={state} /> },
        { head: 'Events', end: true, cell: ({ last_seq: count }) => number(count) },
        { head: 'Signed', cell: ({ sealed }) => (sealed ? 'yes' : 'when it is first read') },
        { head: 'Began', cell: ({ started_at }) => <When at={started_at} /> },
        { head: 'Took', end: true, cell: ({ started_at, ended_at }) => lasted(started_at, ended_at) },
      ]}
      empty={
        <Empty title={`Nothing of ${agent} yet.`} command={`svc call ${agent} SKILL`}>
          Every call is a session once it has ended.
        </Empty>
      }
    />
  );
}
