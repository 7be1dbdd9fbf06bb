// The protocols of an agent: what they are made of, who moved them where and why.
import { Button, Group, Paper, Select, Stack, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import type { Output } from '../../api/client.ts';
import { usePages, useRead, useSend } from '../../api/query.ts';
import { List, Under } from '../../kit/list.tsx';
import { Empty, Section } from '../../kit/page.tsx';
import { State } from '../../kit/state.tsx';
import { When } from '../../kit/when.tsx';
import { inWords } from '../../kit/in-words.ts';

type Entry = Output<'protocolSimulations', 'createSuite'>;
const LOOK: Partial<Record<Entry['state'], string>> = { enabled_private: 'active', enabled_public: 'active', retired: 'cancelled', deprecated: 'warning' };

export function Registry({ name }: { name: string }) {
  const pages = usePages('protocolSimulations', 'registry', { params: { name } });
  const [moved, setMoved] = useState<string>();
  const entry = pages.items.find((one) => keyOf(one) === moved);
  return (
    <Section
      title="Registry"
      lead="A protocol is digested and signed when it comes in, and does not change: a change is a new version. To be enabled it is reviewed and rehearsed."
    >
      {entry && <Move key={keyOf(entry)} name={name} entry={entry} onClose={() => setMoved(undefined)} />}
      <List
        label="Protocols"
        pages={pages}
        keyOf={keyOf}
        empty={
          <Empty title="No protocol yet." command={`svc rehearse ${name}`}>
            The first rehearsal puts the scenarios of the product here; suites of your own come by the API.
          </Empty>
        }
        columns={[
          {
            head: 'Protocol',
            wide: true,
            cell: ({ protocol_id, version, display_name, digest, signature, scenarios, history }) => (
              <>
                <Text size="sm" fw={600} dir="auto">
                  {display_name}
                </Text>
                <Under>
                  <code>
                    {protocol_id} {version}
                  </code>{' '}
                  · {scenarios.length} scenarios · digest {digest.slice(0, 16)} · signed with {signature.kid}
                </Under>
                {history.slice(-3).map(({ to, by, note, at }) => (
                  <Under key={`${to} ${at}`}>
                    {inWords(to)} by {by === 'owner' ? 'you' : 'the platform'}, <When at={at} />: {note}
                  </Under>
                ))}
              </>
            ),
          },
          { head: 'Risk', cell: ({ risk_class }) => inWords(risk_class) },
          { head: 'State', cell: ({ state }) => <State of={LOOK[state] ?? 'pending'} label={inWords(state)} /> },
          {
            head: 'Actions',
            end: true,
            cell: (one) =>
              one.next.length > 0 && (
                <Button variant="default" size="xs" onClick={() => setMoved(keyOf(one))} aria-label={`Move ${one.protocol_id} ${one.version}`}>
                  Move
                </Button>
              ),
          },
        ]}
      />
    </Section>
  );
}

const keyOf = ({ protocol_id, version }: Entry): string => `${protocol_id} ${version}`;

function Move({ name, entry, onClose }: { name: string; entry: Entry; onClose: () => void }) {
  const [to, setTo] = useState<string | null>(entry.next[0] ?? null);
  const [note, setNote] = useState('');
  const move = useSend('protocolSimulations', 'moveRegistryEntry', { done: 'It was moved.', refresh: ['protocolSimulations'], onDone: onClose });
  const { suite } = useRead('protocolSimulations', 'registryEntry', { params: { name, protocol_id: entry.protocol_id, version: entry.version } });
  const target = entry.next.find((one) => one === to);
  return (
    <Paper withBorder p="md" mb="md">
      <Stack>
        <Text size="sm">
          Move {entry.display_name} {entry.version} from {inWords(entry.state)}
        </Text>
        <details>
          <summary style={{ cursor: 'pointer' }}>What it does, step by step</summary>
          {suite.scenarios.map(({ scenario, title, rules, steps }) => (
            <Under key={scenario}>
              <b>{title}</b>: {Object.values(rules).join('; ')}.{' '}
              {steps.map((step, at) => `${at + 1} ${inWords(step.do)} is to be ${step.expect ?? 'accepted'}`).join(', ')}.
            </Under>
          ))}
        </details>
        <Group grow align="start">
          <Select label="To" data={entry.next.map((one) => ({ value: one, label: inWords(one) }))} value={to} onChange={setTo} allowDeselect={false} />
          <TextInput
            label="Why"
            description="It stays in the history."
            value={note}
            onChange={(event) => setNote(event.currentTarget.value)}
            maxLength={1000}
            required
          />
        </Group>
        <Group justify="end">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button
            loading={move.isPending}
            disabled={target === undefined || note.trim() === ''}
            onClick={() => target && move.mutate({ params: { name, protocol_id: entry.protocol_id, version: entry.version }, body: { to: target, note } })}
          >
            Move it
          </Button>
        </Group>
      </Stack>
    </Paper>
  );
}
