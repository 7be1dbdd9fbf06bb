// Runs of the studio, and where a new one begins.
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { Button } from '@mantine/core';
import { usePages, type Item } from '../../api/query.ts';
import { List, Under, type Column } from '../../kit/list.tsx';
import { ButtonLink, PageLink } from '../../kit/page-link.tsx';
import { Empty, Page } from '../../kit/page.tsx';
import { State } from '../../kit/state.tsx';
import { Subpages } from '../../kit/subpages.tsx';
import { When } from '../../kit/when.tsx';
import { NewAgent } from './new-agent.tsx';
import { SUBPAGES } from './subpages.ts';
import { DECISIONS } from './words.ts';

type Run = Item<'agentStudio', 'list'>;
const route = getRouteApi('/studio');

const COLUMNS: Column<Run>[] = [
  {
    head: 'Agent',
    wide: true,
    cell: ({ run_id, name, goal, decision }) => (
      <>
        <PageLink to="/studio/runs/$run_id" params={{ run_id }} fw={600} size="sm">
          {name}
        </PageLink>
        <Under>{goal}</Under>
        <Under>{DECISIONS[decision]}</Under>
      </>
    ),
  },
  { head: 'State', cell: ({ state }) => <State of={state} /> },
  { head: 'Began', cell: ({ created_at }) => <When at={created_at} /> },
];

export function Studio() {
  const { make, ...given } = route.useSearch();
  const navigate = useNavigate();
  const pages = usePages('agentStudio', 'list', { query: { limit: 50 } }, { every: 5_000 });
  if (make === true) return <NewAgent given={given} />;
  const empty = (
    <Empty
      title="No agents were built here yet"
      action={
        <ButtonLink to="/studio" search={{ make: true as const }} variant="light">
          Build an agent
        </ButtonLink>
      }
      command={'svc studio create NAME "GOAL" --wait'}
    >
      Or make one here, with “Make an agent”.
    </Empty>
  );
  return (
    <Page
      title="Studio"
      lead="Say what an agent is for. The studio writes, checks, reviews and starts it for you only. Only you can publish it or grant it access."
      actions={<Button onClick={() => void navigate({ to: '/studio', search: { make: true } })}>Create an agent</Button>}
    >
      <Subpages label="Studio" pages={SUBPAGES} />
      <List label="Runs of the studio" pages={pages} columns={COLUMNS} keyOf={({ run_id }) => run_id} empty={empty} />
    </Page>
  );
}
