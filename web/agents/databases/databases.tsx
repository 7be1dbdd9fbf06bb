// Databases of the account, and whether new ones are set up at the moment.
import { Box, Button } from '@mantine/core';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import type { Output } from '../../api/client.ts';
import { usePages, useRead } from '../../api/query.ts';
import { RequestForm } from '../../form/request-form.tsx';
import { size } from '../../kit/bytes.ts';
import { List, Under, type Column } from '../../kit/list.tsx';
import { Empty, Facts, Page, Section } from '../../kit/page.tsx';
import { ButtonLink, PageLink } from '../../kit/page-link.tsx';
import { State } from '../../kit/state.tsx';
import { When } from '../../kit/when.tsx';
import { Whole } from './whole.tsx';

type Project = Output<'databases', 'list'>['items'][number];
const route = getRouteApi('/databases');

const COLUMNS: Column<Project>[] = [
  { head: 'Database', wide: true, cell: (project) => <Named of={project} /> },
  { head: 'State', cell: ({ state }) => <State of={state} /> },
  { head: 'Size', cell: ({ size_bytes, max_bytes }) => <Whole>{`${size(size_bytes)} of ${size(max_bytes)}`}</Whole> },
  { head: 'Connections', cell: ({ connections }) => connections },
  { head: 'Created', cell: ({ created_at }) => <When at={created_at} /> },
];

export function Databases() {
  const { edit } = route.useSearch();
  const navigate = useNavigate();
  const pages = usePages('databases', 'list', { query: { limit: 50 } });
  if (edit === 'new') return <NewDatabase />;
  return (
    <Page
      title="Databases"
      lead="PostgreSQL for your agents: each gets the address of a database in an environment variable."
      actions={<Button onClick={() => void navigate({ to: '/databases', search: { edit: 'new' } })}>New database</Button>}
    >
      <List
        label="Databases"
        pages={pages}
        columns={COLUMNS}
        keyOf={({ project_id }) => project_id}
        empty={
          <Empty
            title="You have no databases yet."
            action={
              <ButtonLink to="/databases" search={{ edit: 'new' }} variant="light">
                Create a database
              </ButtonLink>
            }
            command="svc databases create orders"
          >
            An agent can also declare one in svc.yaml: it is made with its deployment.
          </Empty>
        }
      />
      <Quota />
      <Provisioner />
    </Page>
  );
}

function Named({ of: { project_id, name, allowance } }: { of: Project }) {
  return (
    <>
      <PageLink to="/databases/$project_id" params={{ project_id }} fw={600} size="sm">
        {name}
      </PageLink>
      {allowance !== 'full' && (
        <Under>Larger than it may be: {allowance === 'closed' ? 'it takes no connections' : 'rows can only be read and deleted'}.</Under>
      )}
    </>
  );
}

function Quota() {
  const { quota } = useRead('databases', 'list', { query: { limit: 1 } });
  return (
    <Section title="Used" lead="Of what your plan and this installation allow.">
      <Facts
        of={{
          Databases: `${quota.databases} of ${quota.max_databases}`,
          Branches: `${quota.branches} of ${quota.max_branches}`,
          Size: `${size(quota.size_bytes)} of ${size(quota.max_bytes)}`,
        }}
      />
    </Section>
  );
}

function Provisioner() {
  const status = useRead('databases', 'provisionerStatus', {}, { every: 10_000 });
  return (
    <Section title="Provisioner" lead="Sets databases up and drops them, for all accounts of this installation.">
      <Facts
        of={{
          State: <State of={status.healthy ? 'works' : status.served ? 'failing' : 'missing'} label={status.served ? undefined : 'no server here'} />,
          'Last reached': status.heartbeat_at && <When at={status.heartbeat_at} />,
          Error: status.error,
          Waiting: `${status.pending} to set up, ${status.deleting} to drop`,
        }}
      />
    </Section>
  );
}

function NewDatabase() {
  const navigate = useNavigate();
  return (
    <Page title="New database" crumbs={[{ label: 'Databases', to: '/databases' }]}>
      <Box maw={480}>
        <RequestForm
          group="databases"
          route="create"
          input={{}}
          submit="Create"
          done={({ name }) => `${name} is being set up.`}
          onDone={({ project_id }) => void navigate({ to: '/databases/$project_id', params: { project_id } })}
          onCancel={() => void navigate({ to: '/databases', search: {} })}
        />
      </Box>
    </Page>
  );
}
