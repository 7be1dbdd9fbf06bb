// Calls of the live agent with samples, as any run of the account.
import { Group, Text } from '@mantine/core';
import type { Output } from '../../api/client.ts';
import { List, Under, type Column } from '../../kit/list.tsx';
import { PageLink } from '../../kit/page-link.tsx';
import { Section } from '../../kit/page.tsx';
import { State } from '../../kit/state.tsx';

type Run = Output<'agentStudio', 'get'>;
type Sample = Run['trials'][number];

export function Samples({ of: { name, trials } }: { of: Run }) {
  const columns: Column<Sample>[] = [
    {
      head: 'Skill',
      wide: true,
      cell: ({ skill, reason, run_id, receipt_id }) => (
        <>
          <code>{skill}</code>
          {reason !== null && <Under>{reason}</Under>}
          <Group gap="sm">
            {run_id !== '' && (
              <PageLink to="/runs/$run_id" params={{ run_id }} size="sm">
                Its run
              </PageLink>
            )}
            {receipt_id !== null && (
              <PageLink to="/receipts" search={{ agent: name, id: receipt_id }} size="sm">
                Receipt
              </PageLink>
            )}
          </Group>
        </>
      ),
    },
    { head: 'Run', cell: ({ state }) => <State of={state} /> },
    {
      head: 'Answer',
      cell: ({ good }) => (
        <State of={good === null ? 'pending' : good ? 'passed' : 'failed'} label={good === null ? 'not yet' : good ? 'as expected' : 'not as expected'} />
      ),
    },
  ];
  return (
    <Section title="Samples" lead="Calls of the live agent in your account.">
      <List
        label="Samples"
        pages={trials}
        columns={columns}
        keyOf={({ run_id, skill }) => `${run_id} ${skill}`}
        empty={
          <Text size="sm" c="dimmed">
            It was not called yet.
          </Text>
        }
      />
    </Section>
  );
}
