// What the account knows from finished work, how its agents stand, and what waits.
import { Box, Button, Group, Text } from '@mantine/core';
import { useState } from 'react';
import type { Output } from '../../api/client.ts';
import { usePages, useRead, useSend, type Item } from '../../api/query.ts';
import { RequestForm } from '../../form/request-form.tsx';
import { Action } from '../../kit/action.tsx';
import { List, Under, type Column } from '../../kit/list.tsx';
import { PageLink } from '../../kit/page-link.tsx';
import { Empty, Facts, Page, Section } from '../../kit/page.tsx';
import { State } from '../../kit/state.tsx';
import { When } from '../../kit/when.tsx';
import { inWords } from '../../kit/in-words.ts';

type Status = Output<'companyBrain', 'status'>;
type Dispatch = Item<'companyBrain', 'dispatches'>;

const counted = (of: Record<string, number>): string =>
  Object.entries(of)
    .map(([name, count]) => `${count} ${inWords(name)}`)
    .join(', ');

const DISPATCHES: Column<Dispatch>[] = [
  {
    head: 'Goal',
    wide: true,
    cell: ({ goal, protocol, reason }) => (
      <>
        <Text size="sm" dir="auto" lineClamp={2}>
          {goal}
        </Text>
        <Under>{reason ?? inWords(protocol)}</Under>
      </>
    ),
  },
  { head: 'State', cell: ({ state }) => <State of={state} /> },
  {
    head: 'Run',
    cell: ({ dag_run_id }) =>
      dag_run_id !== null && (
        <PageLink to="/teams/$dag_run_id" params={{ dag_run_id }} size="sm">
          Its team
        </PageLink>
      ),
  },
  { head: 'Queued', cell: ({ created_at }) => <When at={created_at} /> },
];

export function Brain() {
  const status = useRead('companyBrain', 'status', {}, { every: 15_000 });
  const refresh = ['companyBrain', 'collectiveRuntime'] as ('companyBrain' | 'collectiveRuntime')[];
  const night = useSend('companyBrain', 'dream', { done: ({ changes }) => `${changes.length} memories changed.`, refresh });
  const townhall = useSend('companyBrain', 'townhall', { done: 'The minutes are written.', refresh });
  const [isSetting, setSetting] = useState(false);
  const { runtime, memories, dispatches, without_source, spent_today_micros } = status;
  return (
    <Page
      title="Company brain"
      lead="What finished work taught, looked after each night. It changes no agent and grants nothing; what it changes of itself can be undone."
      actions={
        <>
          <Action label="Run the nightly work now" loading={night.isPending} onAct={() => night.mutate({})} />
          <Action label="Write the minutes" loading={townhall.isPending} onAct={() => townhall.mutate({})} />
          <Button onClick={() => setSetting(true)}>Settings</Button>
        </>
      }
    >
      {isSetting && (
        <Section title="Settings">
          <Box maw={480}>
            <RequestForm
              group="companyBrain"
              route="runtime"
              input={{}}
              initial={{
                enabled: runtime.enabled,
                daily_hour: runtime.daily_hour,
                time_zone: runtime.time_zone,
                daily_budget_cents: runtime.daily_budget_cents,
              }}
              submit="Save"
              done="Saved."
              refresh={refresh}
              onDone={() => setSetting(false)}
              onCancel={() => setSetting(false)}
            />
          </Box>
        </Section>
      )}
      <Facts
        of={{
          Nights: runtime.enabled ? `on, from ${runtime.daily_hour}:00 ${runtime.time_zone}` : 'off',
          'Last night': runtime.last_night ?? 'none yet',
          Memories: `${counted(memories)}; ${without_source} without a source`,
          Work: counted(dispatches),
          'Spent today': `$${(spent_today_micros / 1e6).toFixed(4)} of $${(runtime.daily_budget_cents / 100).toFixed(2)}`,
        }}
      />
      <Minutes />
      <Changes of={status.changes} />
      <Waiting />
    </Page>
  );
}

function Minutes() {
  const { items } = usePages('companyBrain', 'artifacts', { params: { kind: 'townhall' }, query: { limit: 1 } });
  const [latest] = items;
  if (!latest) return null;
  // Safe: the platform wrote them, in the shape of its contract.
  const { sections } = latest.content as unknown as Output<'companyBrain', 'townhall'>;
  return (
    <Section title="Minutes" lead={<When at={latest.created_at} />}>
      {sections.length === 0 && <Text c="dimmed">Nothing happened.</Text>}
      {sections.map(({ title, statements }) => (
        <Box key={title} mb="sm">
          <Text fw={600} size="sm">
            {title}
          </Text>
          {statements.map(({ text, sources }, at) => (
            <Text key={at} size="sm" component="div" dir="auto" style={{ overflowWrap: 'anywhere' }}>
              {text} <Under>{sources.length === 0 ? 'no source' : sources.join(', ')}</Under>
            </Text>
          ))}
        </Box>
      ))}
    </Section>
  );
}

function Changes({ of }: { of: Status['changes'] }) {
  const undo = useSend('companyBrain', 'undoChange', { done: 'It is current again.', refresh: ['companyBrain', 'collectiveRuntime'] });
  const columns: Column<Status['changes'][number]>[] = [
    {
      head: 'Memory',
      wide: true,
      cell: ({ text, reason }) => (
        <>
          <Text size="sm" dir="auto" style={{ overflowWrap: 'anywhere' }}>
            {text}
          </Text>
          <Under>{reason}</Under>
        </>
      ),
    },
    { head: 'Change', cell: ({ kind, undone_at }) => (undone_at === null ? inWords(kind) : `${inWords(kind)}, undone`) },
    { head: 'When', cell: ({ created_at }) => <When at={created_at} /> },
    {
      head: 'Undo',
      end: true,
      cell: ({ change_id, undone_at }) =>
        undone_at === null && (
          <Button size="xs" variant="default" loading={undo.isPending} onClick={() => undo.mutate({ params: { change_id } })}>
            Undo
          </Button>
        ),
    },
  ];
  return (
    <Section title="Changes of memories">
      <List label="Changes of memories" pages={of} columns={columns} keyOf={({ change_id }) => change_id} empty={<Text c="dimmed">None.</Text>} />
    </Section>
  );
}

function Waiting() {
  const pages = usePages('companyBrain', 'dispatches', { query: { limit: 50 } }, { every: 15_000 });
  const run = useSend('companyBrain', 'runOnce', { done: ({ items }) => `${items.length} given to teams.`, refresh: ['companyBrain', 'collectiveRuntime'] });
  const empty = (
    <Empty title="No queued work" command='svc brain queue "GOAL"'>
      Teams take queued work at night, within the daily budget.
    </Empty>
  );
  return (
    <Section
      title="Queued work"
      actions={
        <Group gap="xs">
          <Button size="xs" variant="default" loading={run.isPending} onClick={() => run.mutate({ body: {} })}>
            Give it to teams now
          </Button>
        </Group>
      }
    >
      <List label="Queued work" pages={pages} columns={DISPATCHES} keyOf={({ dispatch_id }) => dispatch_id} empty={empty} />
    </Section>
  );
}
