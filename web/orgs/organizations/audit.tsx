// What was done in an organization.
import { Button, Text } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import type { Output } from '../../api/client.ts';
import { linkTo } from '../../api/organization.ts';
import { usePages } from '../../api/query.ts';
import { type Column, List, Under } from '../../kit/list.tsx';
import { Empty } from '../../kit/page.tsx';
import { When } from '../../kit/when.tsx';
import { InTerminal } from '../../kit/in-terminal.tsx';
import { OrganizationPage, useOrganization } from './frame.tsx';

type Row = Output<'organizations', 'auditLog'>['items'][number];
const route = getRouteApi('/organizations/$slug/audit');

const COLUMNS: Column<Row>[] = [
  {
    head: 'Action',
    wide: true,
    cell: ({ action, target_id }) => (
      <>
        <Text size="sm" fw={600}>
          {action}
        </Text>
        {target_id !== null && <Under>{target_id}</Under>}
      </>
    ),
  },
  { head: 'By', cell: ({ actor }) => actor.email ?? actor.id ?? actor.kind },
  { head: 'At', cell: ({ at }) => <When at={at} /> },
  { head: 'Row', cell: ({ sequence }) => sequence },
];

export function AuditLog() {
  const { slug } = route.useParams();
  const organization = useOrganization(slug);
  const pages = usePages('organizations', 'auditLog', { params: { slug }, query: { limit: 50 } }, { every: 15_000 });
  const file = (
    <Button component="a" variant="default" href={linkTo(`/v1/me/organizations/${slug}/audit-log/export`)} download={`${slug}-audit.ndjson`}>
      Export
    </Button>
  );
  return (
    <OrganizationPage of={organization} actions={file}>
      <Text size="sm" c="dimmed">
        Each row has a hash over itself and the row before, so that an export can be checked.
      </Text>
      <InTerminal command="svc orgs audit verify FILE" />
      <List label="Audit log" pages={pages} columns={COLUMNS} keyOf={({ sequence }) => String(sequence)} empty={<Empty title="Nothing yet" />} />
    </OrganizationPage>
  );
}
