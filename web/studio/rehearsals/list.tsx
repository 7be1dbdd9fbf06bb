// The rehearsals of an agent, and the start of another one.
import { Button, Checkbox, Group, NumberInput, Paper, SimpleGrid, Stack, Text } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { usePages, useRead, useSend } from '../../api/query.ts';
import { List as Table, Under } from '../../kit/list.tsx';
import { PageLink } from '../../kit/page-link.tsx';
import { Empty, Section } from '../../kit/page.tsx';
import { State } from '../../kit/state.tsx';
import { When } from '../../kit/when.tsx';
import { verdictOf } from './words.ts';

export function List({ name, shown }: { name: string; shown: string | undefined }) {
  const pages = usePages('protocolSimulations', 'list', { params: { name } }, { every: 10_000 });
  const [isMaking, setMaking] = useState(false);
  return (
    <Section
      title="Rehearsals"
      lead="The live version starts in a disposable machine and account, without its secrets and without network. Nothing live takes part."
      actions={!isMaking && <Button onClick={() => setMaking(true)}>Rehearse it</Button>}
    >
      {isMaking && <Start name={name} onClose={() => setMaking(false)} />}
      <Table
        label="Rehearsals"
        pages={pages}
        keyOf={({ job_id }) => job_id}
        empty={
          <Empty title="No rehearsals yet." command={`svc rehearse ${name}`}>
            A rehearsal runs it through each scenario and names the events that broke a rule.
          </Empty>
        }
        columns={[
          {
            head: 'Of',
            wide: true,
            cell: ({ job_id, protocol_ref, version, digest, seed }) => (
              <>
                <PageLink to="/agents/mine/$name/rehearsals" params={{ name }} search={{ rehearsal: job_id }} size="sm" {...(job_id === shown && { fw: 650 })}>
                  {protocol_ref.display_name}, {version ?? 'no version'}
                </PageLink>
                <Under>
                  seed {seed}
                  {digest !== null && <> · digest {digest.slice(0, 16)}</>}
                </Under>
              </>
            ),
          },
          { head: 'Verdict', cell: (one) => <State {...verdictOf(one)} /> },
          { head: 'Passed', end: true, cell: ({ counts }) => counts.passed },
          { head: 'Failed', end: true, cell: ({ counts }) => counts.failed },
          { head: 'Began', end: true, cell: ({ created_at }) => <When at={created_at} /> },
        ]}
      />
    </Section>
  );
}

function Start({ name, onClose }: { name: string; onClose: () => void }) {
  const { items } = useRead('protocolSimulations', 'scenarios', { params: { name } });
  const [left, setLeft] = useState<readonly string[]>([]);
  const [seed, setSeed] = useState<number>(1);
  const navigate = useNavigate();
  const start = useSend('protocolSimulations', 'start', {
    done: 'The rehearsal started.',
    onDone: ({ job_id }) => {
      onClose();
      void navigate({ to: '/agents/mine/$name/rehearsals', params: { name }, search: { rehearsal: job_id } });
    },
  });
  const chosen = items.map(({ scenario }) => scenario).filter((one) => !left.includes(one));
  const toggle = (scenario: string): void => setLeft(left.includes(scenario) ? left.filter((one) => one !== scenario) : [...left, scenario]);
  return (
    <Paper withBorder p="md" mb="md">
      <Stack>
        <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="xs">
          {items.map(({ scenario, title, summary }) => (
            <Checkbox key={scenario} label={title} description={summary} checked={chosen.includes(scenario)} onChange={() => toggle(scenario)} />
          ))}
        </SimpleGrid>
        <NumberInput
          label="Seed"
          description="The same seed over the same version gives the same digest."
          value={seed}
          onChange={(value) => setSeed(Number(value) || 0)}
          min={0}
          max={2_147_483_647}
          maw={240}
        />
        <Text size="sm" c="dimmed">
          It needs no language model. With one, agents of yours may take part and leave notes; none decides what passes.
        </Text>
        <Group justify="end">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button
            loading={start.isPending}
            disabled={chosen.length === 0}
            onClick={() => start.mutate({ params: { name }, body: { seed, ...(left.length > 0 && { scenarios: chosen }) } })}
          >
            Rehearse it
          </Button>
        </Group>
      </Stack>
    </Paper>
  );
}
