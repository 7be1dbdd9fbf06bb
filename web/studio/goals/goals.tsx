// What an agent works at for its reader over many runs.
import { Anchor, Box, Button, Switch } from '@mantine/core';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { usePages, type Item } from '../../api/query.ts';
import { List, Under, type Column } from '../../kit/list.tsx';
import { Empty, Page } from '../../kit/page.tsx';
import { State } from '../../kit/state.tsx';
import { When } from '../../kit/when.tsx';
import { NewGoal } from './new-goal.tsx';

const route = getRouteApi('/agents/mine/$name/goals');

type MetaRun = Item<'metaAgentRuns', 'list'>;

const columns = (name: string): Column<MetaRun>[] => [
  {
    head: 'Goal',
    wide: true,
    cell: ({ run_id, goal, criteria }) => (
      <>
        <Anchor component={Link} to={`/agents/mine/${name}/goals/${run_id}`} fw={600} lineClamp={3} dir="auto">
          {goal}
        </Anchor>
        {criteria.length > 0 && <Under>{criteria.length === 1 ? '1 criterion' : `${criteria.length} criteria`}</Under>}
      </>
    ),
  },
  { head: 'State', cell: ({ status }) => <State of={status} /> },
  { head: 'Changed', cell: ({ updated_at }) => <When at={updated_at} /> },
];

export function Goals() {
  const { name } = route.useParams();
  const { open = false, make = false } = route.useSearch();
  const navigate = useNavigate();
  const pages = usePages('metaAgentRuns', 'list', { params: { name }, query: { state: open ? 'open' : 'all', limit: 50 } }, { every: 10_000 });
  const show = (search: { open?: true; make?: true }): void => void navigate({ to: '/agents/mine/$name/goals', params: { name }, search });
  return (
    <Page
      title="Goals"
      crumbs={[
        { label: 'My agents', to: '/agents/mine' },
        { label: name, to: `/agents/mine/${name}` },
      ]}
      lead="What the agent works at for you over many runs, and what it remembers of it."
      actions={
        <Button onClick={() => show({ make: true })} disabled={make}>
          New goal
        </Button>
      }
    >
      {make && (
        <Box maw={640}>
          <NewGoal name={name} onClose={() => show({})} />
        </Box>
      )}
      <Switch label="Only what has not ended" checked={open} onChange={({ currentTarget }) => show(currentTarget.checked ? { open: true } : {})} />
      <List
        label="Goals"
        pages={pages}
        columns={columns(name)}
        keyOf={({ run_id }) => run_id}
        empty={
          <Empty title={open ? 'Nothing is under way' : 'No goal yet'}>
            Coordinator agents store their work here, so that they can continue after a restart.
          </Empty>
        }
      />
    </Page>
  );
}
