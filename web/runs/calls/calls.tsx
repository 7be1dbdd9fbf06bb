// Calls between agents on the account: who called whom, under which grant, and what came of it.
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

const route = getRouteApi('/calls');

export function Calls() {
  const { agent } = route.useSearch();
  const navigate = route.useNavigate();
  const [text, setText] = useState(agent ?? '');
  const settle = useDebouncedCallback((value: string) => void navigate({ search: { agent: value.trim() || undefined }, replace: true }), 300);
  return (
    <Page title="Calls between agents" lead="Calls of your agents to other agents, and calls that you repeated. Each call has its own grant.">
      <TextInput
        aria-label="Agent that was called"
        placeholder="Name of the agent that was called"
        size="xs"
        maw={320}
        value={text}
        onChange={(event) => {
          setText(event.currentTarget.value);
          settle(event.currentTarget.value);
        }}
      />
      <Suspense fallback={<Loading />}>
        <CallList agent={agent} />
      </Suspense>
    </Page>
  );
}

function CallList({ agent }: { agent: string | undefined }) {
  const pages = usePages('subagentRuns', 'list', { query: { agent, limit: 50 } }, { every: 5_000 });
  return (
    <List
      label="Calls between agents"
      pages={pages}
      keyOf={({ grant_id }) => grant_id}
      columns={[
        {
          head: 'Called',
          wide: true,
          cell: ({ grant_id, agent: called, skill, caller_agent: caller, calls }) => (
            <>
              <PageLink to="/calls/$grant_id" params={{ grant_id }}>{`${called}.${skill}`}</PageLink>
              <Under>
                by {caller ?? 'you'}
                {calls > 1 && `, ${calls} times`}
              </Under>
            </>
          ),
        },
        { head: 'How', cell: ({ source }) => ({ call: 'through the platform', reported: 'reported', rerun: 'made again' })[source] },
        { head: 'State', cell: ({ state, error_code: code }) => (<><State of={state} />{code !== null && <Under>{code}</Under>}</>) }, // prettier-ignore
        { head: 'Began', cell: ({ started_at }) => <When at={started_at} /> },
        { head: 'Took', end: true, cell: ({ started_at, ended_at }) => lasted(started_at, ended_at) },
      ]}
      empty={
        agent === undefined ? (
          <Empty title="No agent called another one yet.">
            A skill calls another agent with ctx.call; each call is listed here with the grant that went with it.
          </Empty>
        ) : (
          <Empty title={`Nothing called ${agent}.`}>Take the filter out to see all calls.</Empty>
        )
      }
    />
  );
}
