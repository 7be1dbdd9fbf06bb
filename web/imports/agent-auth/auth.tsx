// What an imported agent is shown by whom it is called.
import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import type { Output } from '../../api/client.ts';
import { useRead, useSend } from '../../api/query.ts';
import { AskingAction } from '../../kit/action.tsx';
import { List, Under } from '../../kit/list.tsx';
import { Empty, Section } from '../../kit/page.tsx';
import { State } from '../../kit/state.tsx';
import { When } from '../../kit/when.tsx';
import { useMine } from '../../agents/owner/frame.tsx';
import { ConnectForm, type Kind, KIND_WORDS } from './connect-form.tsx';

const route = getRouteApi('/agents/mine/$name/auth');
type Status = Output<'agentAuth', 'status'>;

export function Auth() {
  const mine = useMine();
  if (mine.kind !== 'imported')
    return (
      <Empty title="This agent runs here: it needs no connection." command={`svc secrets set ${mine.name} NAME`}>
        What it needs of others are its secrets.
      </Empty>
    );
  return <Connections />;
}

function Connections() {
  const { name } = route.useParams();
  const { requirements, connections } = useRead('agentAuth', 'status', { params: { name } });
  const [asked, setAsked] = useState<{ kind: Kind; scheme?: string }>();
  const open = requirements.filter(({ configured }) => !configured);
  return (
    <Stack gap="xl">
      <Section
        title="Connections"
        lead="Credentials of yours. Every call of this agent through the platform shows them, for every caller. No value is ever shown again."
        actions={!asked && <Button onClick={() => setAsked({ kind: 'bearer' })}>Add a connection</Button>}
      >
        {open.length > 0 && (
          <Alert color="orange" title="Its card asks callers for credentials" mb="md">
            <Group gap="xs">
              {open.map((one) => (
                <Required key={one.scheme_name} requirement={one} onSet={(kind) => setAsked({ kind, scheme: one.scheme_name })} />
              ))}
            </Group>
          </Alert>
        )}
        {asked && <ConnectForm key={`${asked.kind} ${asked.scheme}`} name={name} kind={asked.kind} scheme={asked.scheme} onClose={() => setAsked(undefined)} />}
        <List
          label="Connections"
          pages={connections}
          keyOf={({ connection_id }) => String(connection_id)}
          empty={!asked && <Empty title="No credentials are stored." command={`svc auth bearer ${name}`} />}
          columns={[
            {
              head: 'Scheme',
              wide: true,
              cell: ({ scheme_name, kind, name: field, location, scheme, failure }) => (
                <>
                  <code>{scheme_name}</code>
                  <Under>{[KIND_WORDS[kind], scheme, field !== null && `${field} in the ${location}`].filter(Boolean).join(' · ')}</Under>
                  {failure && <Under>{failure.message}</Under>}
                </>
              ),
            },
            { head: 'State', cell: ({ state }) => <State of={state} /> },
            {
              head: 'Good until',
              cell: ({ expires_at, refreshes }) => (refreshes ? 'renews itself' : expires_at === null ? 'not known' : <When at={expires_at} />),
            },
            { head: 'Set', cell: ({ updated_at }) => <When at={updated_at} /> },
            { head: 'Actions', end: true, cell: ({ connection_id, scheme_name }) => <Disconnect name={name} id={connection_id} scheme={scheme_name} /> },
          ]}
        />
      </Section>
    </Stack>
  );
}

function Required({ requirement: { scheme_name, kind, description }, onSet }: { requirement: Status['requirements'][number]; onSet: (kind: Kind) => void }) {
  if (kind === null)
    return (
      <Text size="sm">
        <code>{scheme_name}</code> cannot be sent from here. {description}
      </Text>
    );
  return (
    <Button size="xs" variant="default" onClick={() => onSet(kind)} title={description}>
      Set {scheme_name}
    </Button>
  );
}

function Disconnect({ name, id, scheme }: { name: string; id: number; scheme: string }) {
  const sending = useSend('agentAuth', 'disconnect', { done: `${scheme} is removed.` });
  return (
    <AskingAction
      label="Remove"
      size="xs"
      question={`Remove ${scheme}?`}
      loading={sending.isPending}
      onAct={() => sending.mutate({ params: { name, connection_id: id } })}
    >
      Calls stop showing it at once. The value cannot be brought back.
    </AskingAction>
  );
}
