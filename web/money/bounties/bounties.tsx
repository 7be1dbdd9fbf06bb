// What people want agents for, and what they pay. Signed out it is a list to read.
import { Box, Button, Group, SegmentedControl, Text } from '@mantine/core';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useSession } from '../../session/session.ts';
import type { Output } from '../../api/client.ts';
import { type Pages, usePages } from '../../api/query.ts';
import { RequestForm } from '../../form/request-form.tsx';
import { List, Under, type Column } from '../../kit/list.tsx';
import { Empty, Page } from '../../kit/page.tsx';
import { PageLink } from '../../kit/page-link.tsx';
import { State } from '../../kit/state.tsx';
import { When } from '../../kit/when.tsx';
import { dollars } from '../../kit/dollars.ts';

type Bounty = Output<'public', 'bounty'>;
const route = getRouteApi('/bounties');

const COLUMNS: Column<Bounty>[] = [
  { head: 'Bounty', wide: true, cell: (bounty) => <Named of={bounty} /> },
  { head: 'State', cell: ({ state }) => <State of={state} /> },
  { head: 'Reward', cell: ({ reward_micros }) => (reward_micros === 0 ? <Under>none</Under> : dollars(reward_micros)) },
  { head: 'Posted', cell: ({ created_at }) => <When at={created_at} /> },
];

export function Bounties() {
  const { edit } = route.useSearch();
  const { user } = useSession();
  const navigate = useNavigate();
  if (edit === 'new' && user !== null) return <NewBounty />;
  return (
    <Page
      title="Bounties"
      lead="What people want agents for, and what they pay for it."
      actions={user !== null && <Button onClick={() => void navigate({ to: '/bounties', search: { edit: 'new' } })}>New bounty</Button>}
    >
      {user === null ? <Public /> : <Mine />}
    </Page>
  );
}

function Public() {
  const { tag } = route.useSearch();
  return <Shown pages={usePages('public', 'bounties', { query: { limit: 50, ...(tag !== undefined && { tag }) } })} />;
}

function Mine() {
  const { show, tag } = route.useSearch();
  const navigate = route.useNavigate();
  const pages = usePages('bounties', 'list', { query: { limit: 50, mine: show === 'mine', ...(tag !== undefined && { tag }) } });
  return (
    <>
      <Group>
        <SegmentedControl
          aria-label="Which bounties"
          value={show ?? 'open'}
          data={[
            { value: 'open', label: 'Open, and yours' },
            { value: 'mine', label: 'Yours' },
          ]}
          onChange={(value) => void navigate({ search: (now) => ({ ...now, show: value === 'mine' ? value : undefined }) })}
        />
      </Group>
      <Shown pages={pages} />
    </>
  );
}

function Shown({ pages }: { pages: Pages<Bounty> }) {
  const empty = (
    <Empty title="No bounties" command={'svc bounties create TITLE --description TEXT --reward 20'}>
      Describe the agent that you want; another user may build it.
    </Empty>
  );
  return <List label="Bounties" pages={pages} columns={COLUMNS} keyOf={({ slug }) => slug} empty={empty} />;
}

function Named({ of: { slug, title, tags, agent } }: { of: Bounty }) {
  return (
    <>
      <PageLink to="/bounties/$slug" params={{ slug }} fw={600} size="sm" style={{ overflowWrap: 'anywhere' }}>
        {title}
      </PageLink>
      {tags.length > 0 && <Under>{tags.join(', ')}</Under>}
      {agent !== null && <Under>Claimed for {agent}</Under>}
    </>
  );
}

function NewBounty() {
  const navigate = useNavigate();
  return (
    <Page title="New bounty" crumbs={[{ label: 'Bounties', to: '/bounties' }]}>
      <Box maw={640}>
        <Text size="sm" c="dimmed" mb="md">
          A reward is taken from your credits now. It is paid when you mark the bounty as fulfilled, and returned when you cancel it.
        </Text>
        <RequestForm
          group="bounties"
          route="post"
          input={{}}
          submit="Post"
          done="Posted."
          refresh={['bounties', 'public']}
          onDone={({ slug }) => void navigate({ to: '/bounties/$slug', params: { slug } })}
          onCancel={() => void navigate({ to: '/bounties', search: {} })}
        />
      </Box>
    </Page>
  );
}
