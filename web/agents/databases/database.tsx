// One database: its branches with their roles, the agents that are bound to it, what happened.
import { Box } from '@mantine/core';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { Output } from '../../api/client.ts';
import { usePages, useRead, useSend } from '../../api/query.ts';
import { RequestForm } from '../../form/request-form.tsx';
import { Action, AskingAction } from '../../kit/action.tsx';
import { size } from '../../kit/bytes.ts';
import { Copyable } from '../../kit/copy.tsx';
import { List, Under, type Column } from '../../kit/list.tsx';
import { Empty, Facts, Page, Section } from '../../kit/page.tsx';
import { PageLink } from '../../kit/page-link.tsx';
import { State } from '../../kit/state.tsx';
import { When } from '../../kit/when.tsx';
import { Bindings } from './bindings.tsx';
import { CHANGED, type Detail } from './model.ts';
import { Whole } from './whole.tsx';
import { Roles } from './roles.tsx';
import { inWords } from '../../kit/in-words.ts';

const route = getRouteApi('/databases/$project_id');

export function Database() {
  const { project_id } = route.useParams();
  const database = useRead('databases', 'get', { params: { project_id } }, { every: 5_000 });
  return (
    <Page title={database.name} beside={<State of={database.state} />} crumbs={[{ label: 'Databases', to: '/databases' }]} actions={<Delete of={database} />}>
      <Facts
        of={{
          Size: `${size(database.size_bytes)} of ${size(database.max_bytes)}`,
          Connections: database.connections,
          Allowed:
            database.allowance === 'full'
              ? null
              : database.allowance === 'closed'
                ? 'It is too large and accepts no connections.'
                : 'It is too large: rows can only be read and deleted.',
          Error: database.error?.message,
          Measured: database.measured_at && <When at={database.measured_at} />,
          Created: <When at={database.created_at} />,
          Id: <Copyable value={database.project_id} label="database id" />,
        }}
      />
      <Branches of={database} />
      <Roles of={database} />
      <Bindings of={database} />
      <Events projectId={project_id} />
    </Page>
  );
}

function Delete({ of: { project_id, name, bindings } }: { of: Detail }) {
  const navigate = useNavigate();
  const removing = useSend('databases', 'remove', {
    done: `${name} is deleted.`,
    refresh: [...CHANGED],
    onDone: () => void navigate({ to: '/databases', search: {} }),
  });
  return (
    <AskingAction
      label="Delete"
      color="red"
      variant="light"
      question={`Delete ${name}?`}
      typed={name}
      loading={removing.isPending}
      onAct={() => removing.mutate({ params: { project_id }, query: { force: true } })}
    >
      All its branches go, and nothing of them can be restored. {bindings.length > 0 && `${bindings.length} bindings of agents go with it.`}
    </AskingAction>
  );
}

type Branch = Detail['branches'][number];

function Branches({ of }: { of: Detail }) {
  const [isCopying, setCopying] = useState(false);
  const columns: Column<Branch>[] = [
    { head: 'Branch', wide: true, cell: (branch) => <Named of={branch} /> },
    { head: 'State', cell: ({ state }) => <State of={state} /> },
    { head: 'Size', cell: ({ size_bytes }) => <Whole>{size(size_bytes)}</Whole> },
    { head: 'Connections', cell: ({ connections, max_connections }) => <Whole>{`${connections} of ${max_connections}`}</Whole> },
    { head: 'Change', end: true, cell: (branch) => <DeleteBranch projectId={of.project_id} branch={branch} /> },
  ];
  return (
    <Section
      title="Branches"
      lead="Each branch is a separate database; a new branch is a copy of another, with its data."
      actions={<Action label="New branch" not={of.state !== 'ready' && 'The database is not ready.'} onAct={() => setCopying(true)} />}
    >
      {isCopying && (
        <Box maw={480} mb="md">
          <RequestForm
            group="databases"
            route="createBranch"
            input={{ params: { project_id: of.project_id } }}
            submit="Copy"
            done="The branch is being made."
            refresh={[...CHANGED]}
            onDone={() => setCopying(false)}
            onCancel={() => setCopying(false)}
          />
        </Box>
      )}
      <List label="Branches" pages={of.branches} columns={columns} keyOf={({ name }) => name} empty={<Empty title="No branches." />} />
    </Section>
  );
}

function Named({ of: { name, parent, error } }: { of: Branch }) {
  return (
    <>
      {name}
      {parent !== null && <Under>copy of {parent}</Under>}
      {error !== null && <Under>{error.message}</Under>}
    </>
  );
}

function DeleteBranch({ projectId, branch: { name } }: { projectId: string; branch: Branch }) {
  const removing = useSend('databases', 'removeBranch', { done: `${name} is deleted.`, refresh: [...CHANGED] });
  if (name === 'main') return null;
  return (
    <AskingAction
      label="Delete"
      size="xs"
      color="red"
      variant="light"
      question={`Delete the branch ${name}?`}
      loading={removing.isPending}
      onAct={() => removing.mutate({ params: { project_id: projectId, branch: name }, query: { force: true } })}
    >
      What is in it goes, and agents that are bound to it lose it.
    </AskingAction>
  );
}

type Event = Output<'databases', 'events'>['items'][number];
const EVENTS: Column<Event>[] = [
  { head: 'Event', wide: true, cell: ({ kind }) => inWords(kind) },
  { head: 'Branch', cell: ({ branch }) => branch ?? '' },
  {
    head: 'Agent',
    cell: ({ agent }) =>
      agent && (
        <PageLink to="/agents/$name" params={{ name: agent }}>
          {agent}
        </PageLink>
      ),
  },
  { head: 'Detail', cell: ({ detail }) => (detail ? inWords(detail) : '') },
  { head: 'When', cell: ({ at }) => <When at={at} /> },
];

function Events({ projectId }: { projectId: string }) {
  const pages = usePages('databases', 'events', { params: { project_id: projectId }, query: { limit: 20 } });
  return (
    <Section title="What happened">
      <List label="Events" pages={pages} columns={EVENTS} keyOf={({ event_id }) => event_id} empty={<Empty title="No events yet." />} />
    </Section>
  );
}
