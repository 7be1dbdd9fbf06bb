// What waits, what is open, and what it works on: asked every five seconds, while the page is seen.
import { SimpleGrid, Text } from '@mantine/core';
import type { Output } from '../../api/client.ts';
import { useRead } from '../../api/query.ts';
import { size } from '../../kit/bytes.ts';
import { List } from '../../kit/list.tsx';
import { Empty, Facts, Section } from '../../kit/page.tsx';
import { State } from '../../kit/state.tsx';
import { duration } from '../../kit/time.ts';
import { number } from '../../kit/number.ts';
import { inWords } from '../../kit/in-words.ts';
import { kindWords } from '../../runs/list/words.ts';

type Backlog = NonNullable<Output<'machinery', 'get'>['queues']>[number]['workflows'];

const EVERY_MS = 5_000;
/** Less is spoken of: builds, and what agents keep, need some. */
const LITTLE_DISK = 0.1;

export function Machinery() {
  const now = useRead('machinery', 'get', {}, { every: EVERY_MS });
  const { messages, waits, disk } = now;
  return (
    <>
      <Section title="Queues" lead="Tasks that no worker took yet, and how long the oldest has been waiting.">
        {now.queues ? (
          <List
            label="Queues"
            pages={now.queues}
            keyOf={({ name }) => name}
            empty={<Empty title="There are no queues." />}
            columns={[
              { head: 'Queue', wide: true, cell: ({ name }) => <code>{name}</code> },
              { head: 'Workflows', cell: ({ workflows }) => <Waiting of={workflows} /> },
              { head: 'Activities', cell: ({ activities }) => <Waiting of={activities} /> },
              { head: 'Workers', end: true, cell: ({ workflows, activities }) => Math.max(workflows.workers, activities.workers) },
            ]}
          />
        ) : (
          <Text size="sm">The workflow engine does not answer.</Text>
        )}
      </Section>
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="xl">
        <Section title="Open work">
          <Facts
            of={{
              ...Object.fromEntries(now.jobs.map(({ kind, state, count }) => [`${kindWords(kind)}, ${inWords(state)}`, number(count)])),
              'Oldest queued job': now.job_queued_seconds > 0 ? duration(now.job_queued_seconds * 1000) : 'none',
              'Waits for people': `${number(waits.open)}${waits.overdue > 0 ? `, ${number(waits.overdue)} of them overdue` : ''}`,
              'Messages to workflows':
                messages.unsent === 0 ? 'all sent' : `${number(messages.unsent)} unsent, for ${duration(messages.oldest_seconds * 1000)}`,
            }}
          />
        </Section>
        <Section title="Machines and disk">
          <Facts
            of={{
              ...(now.machines === null
                ? { 'Agents’ machines': 'Their host does not answer.' }
                : now.machines.length === 0
                  ? { 'Agents’ machines': 'none' }
                  : Object.fromEntries(now.machines.map(({ tier, count, memory_bytes: memory }) => [`Agents, ${inWords(tier)}`, `${count}, ${size(memory)}`]))),
              Disk: disk && (
                <>
                  {size(disk.free_bytes)} of {size(disk.total_bytes)} free{' '}
                  {disk.free_bytes < disk.total_bytes * LITTLE_DISK && <State of="failing" label="little" />}
                </>
              ),
              Database: size(now.database_bytes),
            }}
          />
        </Section>
      </SimpleGrid>
    </>
  );
}

function Waiting({ of: { waiting, oldest_seconds: oldest } }: { of: Backlog }) {
  return waiting === 0 ? 'none' : `${number(waiting)}, for ${duration(oldest * 1000)}`;
}
