// The services that the platform runs for an account, and whether each works now.
import { Anchor, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { Output } from '../../api/client.ts';
import { useRead } from '../../api/query.ts';
import { List, Under } from '../../kit/list.tsx';
import { Empty, Section } from '../../kit/page.tsx';
import { State } from '../../kit/state.tsx';
import { When } from '../../kit/when.tsx';
import { Advice } from '../../kit/advice.tsx';

type Service = Output<'serviceAccess', 'get'>['items'][number];

const NAMES: Record<Service['service'], { title: string; to?: string }> = {
  model_routing: { title: 'Language models', to: '/models' },
  source_hosting: { title: 'Source of agents', to: '/agents/mine' },
  database: { title: 'Database' },
  mailbox: { title: 'Mailboxes of agents' },
  object_storage: { title: 'Files', to: '/files' },
  tracing: { title: 'Traces', to: '/runs' },
};

export function Services() {
  const { items } = useRead('serviceAccess', 'get', {});
  return (
    <Section title="Managed services" lead="What the platform runs for this account.">
      <List
        label="Managed services"
        pages={items}
        keyOf={({ service }) => service}
        empty={<Empty title="This installation runs no services for accounts." />}
        columns={[
          { head: 'Service', wide: true, cell: (service) => <Name of={service} /> },
          { head: 'State', cell: ({ status }) => <State of={status} /> },
          { head: 'Checked', end: true, cell: ({ checked_at }) => (checked_at ? <When at={checked_at} /> : 'not yet') },
        ]}
      />
    </Section>
  );
}

function Name({ of: { service, reason, credential, last_error: error } }: { of: Service }) {
  const { title, to } = NAMES[service];
  return (
    <>
      {to ? (
        <Anchor component={Link} to={to} size="sm">
          {title}
        </Anchor>
      ) : (
        <Text size="sm">{title}</Text>
      )}
      {reason && (
        <Under>
          <Advice text={reason} />
        </Under>
      )}
      {credential && <Under>Uses the credential {credential}.</Under>}
      {error && (
        <Under>
          Last error <code>{error.code}</code>
          {error.message && `: ${error.message}`} (<When at={error.at} />)
        </Under>
      )}
    </>
  );
}
