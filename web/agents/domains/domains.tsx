// Host names of people's own at which the agent answers.
import { Alert, Button, Group, Paper, Stack, Text, TextInput, Title } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { useRead, useSend } from '../../api/query.ts';
import { Action, AskingAction } from '../../kit/action.tsx';
import { Copy, Copyable } from '../../kit/copy.tsx';
import { explain } from '../../kit/explain.ts';
import { Failure } from '../../kit/failure.tsx';
import { List, Under } from '../../kit/list.tsx';
import { Empty, Section } from '../../kit/page.tsx';
import { State } from '../../kit/state.tsx';
import { useExact } from '../../kit/exact.ts';
import { When } from '../../kit/when.tsx';
import { certificateWords, type Domain, domainWords, recordWords, zoneLine } from './words.ts';

const route = getRouteApi('/agents/mine/$name/domains');

export function Domains() {
  const { name } = route.useParams();
  const domains = useRead('agents', 'domains', { params: { name } }, { every: (last) => (last?.some(({ state }) => state !== 'active') ? 10_000 : 60_000) });
  return (
    <Section title="Custom domains" lead="Names of yours at which the agent answers, beside its own address.">
      <Stack>
        <Add name={name} />
        {domains.length === 0 && <Empty title="No custom domains." command={`svc domains create ${name} agent.example.com`} />}
        {domains.map((domain) => (
          <One key={domain.hostname} name={name} domain={domain} />
        ))}
      </Stack>
    </Section>
  );
}

function Add({ name }: { name: string }) {
  const [hostname, setHostname] = useState('');
  const sending = useSend('agents', 'addDomain', { quiet: true, done: 'Added. Now set its records.', onDone: () => setHostname('') });
  const send = (event: FormEvent): void => {
    event.preventDefault();
    sending.mutate({ params: { name }, body: { hostname: hostname.trim() } });
  };
  const issue = sending.error && explain(sending.error).issues[0]?.message;
  return (
    <form onSubmit={send} noValidate>
      <Group align="end">
        <TextInput
          label="Host name"
          description="shop.example.com, or *.example.com for every name one level below."
          value={hostname}
          error={issue}
          maxLength={253}
          dir="ltr"
          onChange={(event) => setHostname(event.currentTarget.value)}
          style={{ flex: '1 1 16rem' }}
          maw={420}
        />
        <Button type="submit" loading={sending.isPending} disabled={hostname.trim() === ''}>
          Add
        </Button>
      </Group>
      {sending.error && issue === undefined && (
        <Stack mt="sm">
          <Failure error={sending.error} />
        </Stack>
      )}
    </form>
  );
}

function One({ name, domain }: { name: string; domain: Domain }) {
  const exactly = useExact();
  const { hostname, display_name, state, problem, records, certificate, looked_at, prove_until } = domain;
  const verify = useSend('agents', 'verifyDomain', {
    done: ({ state: now }) => (now === 'active' ? `${display_name} is active.` : `${display_name} is ${now}: see its records.`),
  });
  const remove = useSend('agents', 'removeDomain', { done: `${display_name} is removed.` });
  const input = { params: { name, hostname } };
  return (
    <Paper withBorder p="md" component="article" aria-label={hostname}>
      <Stack gap="sm">
        <Group justify="space-between">
          <Group gap="xs" miw={0}>
            <Title order={3} style={{ overflowWrap: 'anywhere' }}>
              <bdi>{display_name}</bdi>
            </Title>
            <State of={state} />
          </Group>
          <Group gap="xs">
            <Action label="Verify now" size="xs" loading={verify.isPending} onAct={() => verify.mutate(input)} />
            <AskingAction label="Remove" size="xs" question={`Remove ${display_name}?`} loading={remove.isPending} onAct={() => remove.mutate(input)}>
              The agent does not answer there any more, at once. Its certificate is revoked.
            </AskingAction>
          </Group>
        </Group>
        <Text size="sm">{domainWords(domain)}</Text>
        {problem !== null && (
          <Alert color="orange" p="xs">
            <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
              {problem}
            </Text>
          </Alert>
        )}
        <List
          label={`Records of ${hostname}`}
          pages={records}
          keyOf={({ purpose, type, value }) => `${purpose} ${type} ${value}`}
          empty={null}
          columns={[
            { head: 'Type', cell: ({ type }) => type },
            { head: 'Name', cell: ({ name: at }) => <Copyable value={at} label="name of the record" /> },
            {
              head: 'Value',
              wide: true,
              cell: (record) => (
                <>
                  <Copyable value={record.value} label="value of the record" />
                  <Under>{recordWords(record)}</Under>
                  {record.state !== 'found' &&
                    record.seen.map((seen) => (
                      <Under key={seen}>
                        Seen: <code>{seen.slice(0, 500)}</code>
                      </Under>
                    ))}
                </>
              ),
            },
            { head: 'Seen', end: true, cell: ({ state: found }) => <State of={found} /> },
          ]}
        />
        <Group justify="space-between" gap="xs">
          <Text size="sm" c="dimmed">
            {certificate === null ? '' : certificateWords(certificate, certificate.not_after === null ? '' : exactly(certificate.not_after))}{' '}
            {looked_at !== null && (
              <>
                Checked <When at={looked_at} />.
              </>
            )}{' '}
            {state === 'pending' && (
              <>
                Time to prove it ends <When at={prove_until} />.
              </>
            )}
          </Text>
          <Group gap={4}>
            <Text size="xs" c="dimmed">
              As a zone file
            </Text>
            <Copy value={records.map(zoneLine).join('\n')} label={`Copy the records of ${hostname} as a zone file`} />
          </Group>
        </Group>
      </Stack>
    </Paper>
  );
}
