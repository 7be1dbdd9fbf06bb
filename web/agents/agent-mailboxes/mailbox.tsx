// The mailbox of an agent: its address, who may write, what happened to each mail.
import { Alert, Button, Group, Stack, TagsInput, Text } from '@mantine/core';
import { useSuspenseQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import type { Output } from '../../api/client.ts';
import { usePages, useSend } from '../../api/query.ts';
import { Action, AskingAction } from '../../kit/action.tsx';
import { Copyable } from '../../kit/copy.tsx';
import { explain } from '../../kit/explain.ts';
import { Failure } from '../../kit/failure.tsx';
import { List, Under } from '../../kit/list.tsx';
import { Empty, Facts, Section } from '../../kit/page.tsx';
import { State } from '../../kit/state.tsx';
import { When } from '../../kit/when.tsx';
import { maybe } from '../owner/maybe.ts';
import { EVENT_STATE, whyWords } from './words.ts';
import { number } from '../../kit/number.ts';

const route = getRouteApi('/agents/mine/$name/mailbox');
type Box = Output<'agentMailboxes', 'get'>;
const MIB = 1024 * 1024;

export function Mailbox() {
  const { name } = route.useParams();
  const { data: box } = useSuspenseQuery({
    ...maybe('agentMailboxes', 'get', { params: { name } }),
    refetchInterval: ({ state: { data } }) => (data?.state === 'pending' || data?.state === 'provisioning' ? 2_000 : 60_000),
  });
  if (!box || box.state === 'removed') return <None name={name} />;
  return (
    <Stack gap="xl">
      <About name={name} box={box} />
      <Senders key={box.allowed_senders.join()} name={name} box={box} />
      <Events name={name} />
    </Stack>
  );
}

function None({ name }: { name: string }) {
  const create = useSend('agentMailboxes', 'create', { quiet: true, done: ({ address }) => `${address} is being set up.` });
  return (
    <Section title="Mailbox" lead="The address of the agent: its skill on_email gets the mail, and its answer is sent.">
      <Stack>
        {create.error && <Failure error={create.error} />}
        <Empty title="This agent has no mailbox." command={`svc mailbox create ${name}`}>
          You may always write to it; others only where you allow them.
          <div>
            <Button mt="md" loading={create.isPending} onClick={() => create.mutate({ params: { name }, body: { allowed_senders: [] } })}>
              Make a mailbox
            </Button>
          </div>
        </Empty>
      </Stack>
    </Section>
  );
}

function About({ name, box }: { name: string; box: Box }) {
  const create = useSend('agentMailboxes', 'create', { done: 'It is being set up.' });
  const update = useSend('agentMailboxes', 'update', { done: ({ state }) => `The mailbox is ${state}.` });
  const remove = useSend('agentMailboxes', 'remove', { done: 'The mailbox is removed.' });
  const params = { name };
  const isOff = box.state === 'disabled';
  const isReady = isOff || box.state === 'ready';
  return (
    <Section
      title="Mailbox"
      actions={
        <>
          {box.state === 'failed' && (
            <Action
              label="Set it up again"
              loading={create.isPending}
              onAct={() => create.mutate({ params, body: { allowed_senders: box.allowed_senders } })}
            />
          )}
          <Action
            label={isOff ? 'Resume receiving mail' : 'Stop receiving mail'}
            not={!isReady && 'It is not ready.'}
            loading={update.isPending}
            onAct={() => update.mutate({ params, body: { enabled: isOff } })}
          />
          <AskingAction label="Remove" question={`Remove ${box.address}?`} loading={remove.isPending} onAct={() => remove.mutate({ params })}>
            Mail to its address will be refused. A deployment whose svc.yaml declares a mailbox creates it again.
          </AskingAction>
        </>
      }
    >
      <Stack>
        {box.error && <Alert color="red" title={box.error.message} />}
        {isReady && !box.has_on_email && (
          <Alert color="orange" title="The live version cannot receive mail">
            <Text size="sm">
              Give it a skill with the name <code>on_email</code>, and deploy.
            </Text>
          </Alert>
        )}
        <Facts
          of={{
            Address: <Copyable value={box.address} label="address" />,
            State: <State of={box.state} />,
            'Sent in 24 hours': `${number(box.sent_today)} of ${number(box.send_limit)}`,
            Keeps: `${(box.size_bytes / MIB).toFixed(1)} of ${number(Math.round(box.max_bytes / MIB))} MiB`,
            Since: <When at={box.created_at} />,
          }}
        />
      </Stack>
    </Section>
  );
}

function Senders({ name, box }: { name: string; box: Box }) {
  const [senders, setSenders] = useState(box.allowed_senders);
  const sending = useSend('agentMailboxes', 'update', { quiet: true, done: 'Changed who may write.' });
  const issue = sending.error && explain(sending.error).issues[0]?.message;
  const isSame = senders.length === box.allowed_senders.length && senders.every((one) => box.allowed_senders.includes(one));
  return (
    <Section title="Who may write" lead="You, always. Else an address, or @example.org for a whole domain.">
      <Stack maw={620}>
        <TagsInput
          label="Allowed senders"
          placeholder="ada@example.com"
          value={senders}
          error={issue}
          onChange={(all) => setSenders(all.map((one) => one.trim().toLowerCase()))}
          splitChars={[',', ' ', ';']}
          clearable
        />
        {box.declared_senders.length > 0 && (
          <Text size="sm" c="dimmed">
            Also, by svc.yaml: {box.declared_senders.join(', ')}
          </Text>
        )}
        {sending.error && issue === undefined && <Failure error={sending.error} />}
        <Group justify="end">
          <Button disabled={isSame} loading={sending.isPending} onClick={() => sending.mutate({ params: { name }, body: { allowed_senders: senders } })}>
            Save
          </Button>
        </Group>
      </Stack>
    </Section>
  );
}

function Events({ name }: { name: string }) {
  const pages = usePages('agentMailboxes', 'events', { params: { name }, query: { limit: 50 } }, { every: 15_000 });
  return (
    <Section title="What happened">
      <List
        label="Mail"
        pages={pages}
        keyOf={({ event_id }) => event_id}
        empty={<Empty title="No mail yet." />}
        columns={[
          { head: 'Event', cell: ({ kind }) => <State of={EVENT_STATE[kind].color} label={EVENT_STATE[kind].label} /> },
          {
            head: 'Mail',
            wide: true,
            cell: ({ subject, correspondent, why, detail }) => (
              <>
                <Text size="sm" dir="auto">
                  {subject ?? 'without a subject'}
                </Text>
                <Under>{[correspondent, why && whyWords(why), detail].filter(Boolean).join(' · ')}</Under>
              </>
            ),
          },
          { head: 'When', end: true, cell: ({ at }) => <When at={at} /> },
        ]}
      />
    </Section>
  );
}
