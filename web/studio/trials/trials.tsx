// Trial rooms of the account, and the form that makes one.
import { Box, Button } from '@mantine/core';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { usePages, type Item } from '../../api/query.ts';
import { RequestForm } from '../../form/request-form.tsx';
import { List, Under, type Column } from '../../kit/list.tsx';
import { ButtonLink, PageLink } from '../../kit/page-link.tsx';
import { Empty, Page } from '../../kit/page.tsx';
import { State } from '../../kit/state.tsx';
import { When } from '../../kit/when.tsx';

type Room = Item<'trialRooms', 'list'>;
const route = getRouteApi('/trials');

const COLUMNS: Column<Room>[] = [
  {
    head: 'Trial room',
    wide: true,
    cell: ({ slug, title, on_deploy }) => (
      <>
        <PageLink to="/trials/$slug" params={{ slug }} fw={600} dir="auto">
          {title}
        </PageLink>
        <Under>
          {slug}
          {on_deploy && ', runs on every deploy'}
        </Under>
      </>
    ),
  },
  { head: 'State', cell: ({ state }) => <State of={state} /> },
  { head: 'Cases', end: true, cell: ({ cases }) => cases },
  { head: 'Contestants', end: true, cell: ({ runs }) => runs },
  { head: 'Made', cell: ({ created_at }) => <When at={created_at} /> },
];

export function Trials() {
  const { make } = route.useSearch();
  const navigate = useNavigate();
  const pages = usePages('trialRooms', 'list', { query: { limit: 50 } }, { every: 15_000 });
  if (make === true) return <NewRoom />;
  const empty = (
    <Empty
      title="No trial rooms yet"
      action={
        <ButtonLink to="/trials" search={{ make: true as const }} variant="light">
          Create a trial room
        </ButtonLink>
      }
      command={`svc trials create --title TITLE --goal GOAL --case '{"inputs": {}}'`}
    >
      Or make one here: one task, several agents side by side.
    </Empty>
  );
  return (
    <Page
      title="Trial rooms"
      lead="One task, several agents side by side, each under its own limits. Their answers are scored by rule and rated by you."
      actions={<Button onClick={() => void navigate({ to: '/trials', search: { make: true } })}>New trial room</Button>}
    >
      <List label="Trial rooms" pages={pages} columns={COLUMNS} keyOf={({ slug }) => slug} empty={empty} />
    </Page>
  );
}

function NewRoom() {
  const navigate = useNavigate();
  return (
    <Page title="New trial room" crumbs={[{ label: 'Trial rooms', to: '/trials' }]}>
      <Box maw={720}>
        <RequestForm
          group="trialRooms"
          route="create"
          input={{}}
          submit="Create trial room"
          done="Trial room created."
          refresh={['trialRooms']}
          onDone={({ slug }) => void navigate({ to: '/trials/$slug', params: { slug } })}
          onCancel={() => void navigate({ to: '/trials', search: {} })}
        />
      </Box>
    </Page>
  );
}
