// Values that an agent's owner gives it: their names and versions are shown, never the values.
import { Alert, Button, Group, Text } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import type { Output } from '../../api/client.ts';
import { useRead, useSend } from '../../api/query.ts';
import { AskingAction } from '../../kit/action.tsx';
import { List, Under } from '../../kit/list.tsx';
import { Empty, Section } from '../../kit/page.tsx';
import { When } from '../../kit/when.tsx';
import { SecretForm } from './secret-form.tsx';

const route = getRouteApi('/agents/mine/$name/secrets');

export type Secret = Output<'agentSecrets', 'list'>['items'][number];

export function Secrets() {
  const { name } = route.useParams();
  const { items, missing } = useRead('agentSecrets', 'list', { params: { name } });
  /** Whose value is asked for; '': a new one; undefined: none. */
  const [asked, setAsked] = useState(route.useSearch().add ? '' : undefined);
  return (
    <Section
      title="Secrets"
      lead="The agent reads them by their names. They are stored encrypted, and no value is ever shown again. A machine has them in its memory, and so has its snapshot on the host's disk, until the agent starts with other secrets."
      actions={asked === undefined && <Button onClick={() => setAsked('')}>Add a secret</Button>}
    >
      {missing.length > 0 && (
        <Alert color="orange" icon={<IconAlertTriangle size={18} />} mb="md" title="The live version needs secrets that are not set">
          <Group gap="xs">
            {missing.map((key) => (
              <Button key={key} size="xs" variant="default" onClick={() => setAsked(key)}>
                Set {key}
              </Button>
            ))}
          </Group>
        </Alert>
      )}
      {asked !== undefined && (
        <SecretForm key={asked} name={name} secretKey={asked} before={items.find(({ key }) => key === asked)} onClose={() => setAsked(undefined)} />
      )}
      <List
        label="Secrets"
        pages={items}
        keyOf={({ key }) => key}
        empty={
          asked === undefined && (
            <Empty title="No secrets are set." command={`svc secrets set ${name} API_TOKEN`}>
              What the agent needs of other services goes here.
            </Empty>
          )
        }
        columns={[
          {
            head: 'Name',
            wide: true,
            cell: ({ key, inject }) => (
              <>
                <code>{key}</code>
                {inject && (
                  <Under>
                    Sent to {inject.host} as {inject.header}
                    {inject.scheme === undefined ? '' : ` ${inject.scheme}`}; it never enters the agent.
                  </Under>
                )}
              </>
            ),
          },
          { head: 'Version', end: true, cell: ({ version }) => version },
          { head: 'Set', cell: ({ updated_at }) => <When at={updated_at} /> },
          {
            head: 'Actions',
            end: true,
            cell: ({ key }) => (
              <Group gap="xs" justify="end" wrap="nowrap">
                <Button size="xs" variant="default" onClick={() => setAsked(key)} aria-label={`Replace: ${key}`}>
                  Replace
                </Button>
                <Delete name={name} secretKey={key} />
              </Group>
            ),
          },
        ]}
      />
      {items.length > 0 && (
        <Text size="sm" c="dimmed" mt="sm">
          A new value counts from the next start of the agent on.
        </Text>
      )}
    </Section>
  );
}

function Delete({ name, secretKey: key }: { name: string; secretKey: string }) {
  const sending = useSend('agentSecrets', 'delete', { done: `${key} is deleted.` });
  return (
    <AskingAction label="Delete" size="xs" question={`Delete ${key}?`} loading={sending.isPending} onAct={() => sending.mutate({ params: { name, key } })}>
      What runs keeps its value until it is replaced. The value cannot be brought back.
    </AskingAction>
  );
}
