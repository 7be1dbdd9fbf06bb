// Plans of the account: several calls of agents that follow from one message.
import { Anchor } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { usePages, type Item } from '../../api/query.ts';
import { refreshInterval } from '../../api/refresh-interval.ts';
import { List, Under, type Column } from '../../kit/list.tsx';
import { Empty, Page } from '../../kit/page.tsx';
import { State } from '../../kit/state.tsx';
import { lasted } from '../../kit/time.ts';
import { When } from '../../kit/when.tsx';
import { ButtonLink } from '../../kit/page-link.tsx';
import { PLANNERS } from './planners.ts';

type Plan = Item<'dagRuns', 'list'>;

const COLUMNS: Column<Plan>[] = [
  {
    head: 'Plan',
    wide: true,
    cell: ({ dag_run_id, title, planner }) => (
      <>
        <Anchor component={Link} to={`/plans/${dag_run_id}`} fw={600} dir="auto">
          {title}
        </Anchor>
        <Under>{PLANNERS[planner]}</Under>
      </>
    ),
  },
  { head: 'State', cell: ({ state }) => <State of={state} /> },
  { head: 'Steps done', end: true, cell: ({ nodes_ended, nodes_total }) => `${nodes_ended} of ${nodes_total}` },
  { head: 'Began', cell: ({ created_at }) => <When at={created_at} /> },
  { head: 'Took', end: true, cell: ({ created_at, ended_at }) => (ended_at === null ? '' : lasted(created_at, ended_at)) },
];

export function Plans() {
  const pages = usePages('dagRuns', 'list', { query: { limit: 50 } }, { every: refreshInterval(10_000) });
  return (
    <Page title="Plans" lead="Several calls of agents that follow from one message: which waits for which, and what came of them.">
      <List
        label="Plans"
        pages={pages}
        columns={COLUMNS}
        keyOf={({ dag_run_id }) => dag_run_id}
        empty={
          <Empty
            title="No plans yet"
            action={
              <ButtonLink to="/chat" variant="light">
                Open chat
              </ButtonLink>
            }
            command={'svc chat --platform'}
          >
            A message that names several skills becomes one:{' '}
            <code>
              @a.read {'{}'} then @b.write {'{"text": "$1.result"}'}
            </code>
          </Empty>
        }
      />
    </Page>
  );
}
