// Who called the agent, and the receipts of it. Arguments and results of others are not shown: they are
// theirs.
import { Anchor, Group, Text } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { usePages } from '../../api/query.ts';
import { Copyable } from '../../kit/copy.tsx';
import { List, Under } from '../../kit/list.tsx';
import { ButtonLink, PageLink } from '../../kit/page-link.tsx';
import { Empty, Section } from '../../kit/page.tsx';
import { State } from '../../kit/state.tsx';
import { lasted } from '../../kit/time.ts';
import { When } from '../../kit/when.tsx';

const route = getRouteApi('/agents/mine/$name/calls');

export function Calls() {
  const { name } = route.useParams();
  const { show } = route.useSearch();
  return (
    <Section title="Calls" lead="Every call that the platform made, over every protocol. Calls of others are listed without content.">
      <Group gap="md" component="nav" aria-label="Views of the calls" mb="sm">
        <View name={name} label="Sessions" here={show === undefined} />
        <View name={name} label="Receipts" show="receipts" here={show === 'receipts'} />
      </Group>
      {show === 'receipts' ? <Receipts name={name} /> : <Sessions name={name} />}
    </Section>
  );
}

function View({ name, label, show, here }: { name: string; label: string; show?: 'receipts'; here: boolean }) {
  const look = here ? ({ 'aria-current': 'page', fw: 650, c: 'var(--mantine-color-text)', underline: 'always' } as const) : {};
  return (
    <PageLink to="/agents/mine/$name/calls" activeOptions={{ exact: true }} params={{ name }} search={show === undefined ? {} : { show }} size="sm" {...look}>
      {label}
    </PageLink>
  );
}

function none(name: string): ReactNode {
  return (
    <Empty
      title="No calls yet."
      action={
        <ButtonLink to="/agents/$name" params={{ name }} variant="light">
          Try it
        </ButtonLink>
      }
      command={`svc call ${name}`}
    >
      Each call is noted here once it has ended.
    </Empty>
  );
}

function Sessions({ name }: { name: string }) {
  const pages = usePages('agentSessions', 'list', { params: { name }, query: { limit: 50 } }, { every: 15_000 });
  return (
    <List
      label="Sessions"
      pages={pages}
      keyOf={({ session_id }) => session_id}
      empty={none(name)}
      columns={[
        {
          head: 'Skill',
          wide: true,
          cell: ({ skill, session_id, run_id, sealed }) => (
            <>
              <PageLink to="/runs/$run_id" params={{ run_id }}>
                {skill}
              </PageLink>
              <Under>
                <Copyable value={session_id} label="session id" />
                {sealed && ' its log is signed'}
              </Under>
            </>
          ),
        },
        { head: 'State', cell: ({ state }) => <State of={state} /> },
        { head: 'Version', cell: ({ version }) => version },
        { head: 'Started', cell: ({ started_at }) => <When at={started_at} /> },
        { head: 'Duration', end: true, cell: ({ started_at, ended_at }) => (ended_at === null ? 'under way' : lasted(started_at, ended_at)) },
      ]}
    />
  );
}

function Receipts({ name }: { name: string }) {
  const pages = usePages('agentReceipts', 'list', { params: { name }, query: { limit: 50 } });
  return (
    <>
      <List
        label="Receipts"
        pages={pages}
        keyOf={({ receipt_id }) => receipt_id}
        empty={none(name)}
        columns={[
          {
            head: 'Skill',
            wide: true,
            cell: ({ skill, receipt_id, source }) => (
              <>
                <code>{skill}</code>
                <Under>
                  <Copyable value={receipt_id} label="receipt id" />
                  {source === 'self' && ' handed in later'}
                </Under>
              </>
            ),
          },
          { head: 'Status', cell: ({ status }) => <State of={status === 'error' ? 'failed' : status} label={status} /> },
          { head: 'Signed', end: true, cell: ({ created_at }) => <When at={created_at} /> },
        ]}
      />
      <Text size="sm" c="dimmed" mt="sm">
        Anyone can check a receipt without an account:{' '}
        <Anchor href="/receipts" inherit underline="always">
          check one
        </Anchor>
        .
      </Text>
    </>
  );
}
