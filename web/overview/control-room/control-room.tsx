// What waits, what runs, what was spent against which budgets, what was done last, and what the policy
// refused: read again every five seconds.
import { Grid, Group, Stack, Text } from '@mantine/core';
import type { Output } from '../../api/client.ts';
import { useRead } from '../../api/query.ts';
import { FirstFew } from '../../kit/first-few.tsx';
import { List, Under, type Column } from '../../kit/list.tsx';
import { Empty, Page, Section } from '../../kit/page.tsx';
import { ButtonLink, PageLink } from '../../kit/page-link.tsx';
import { State } from '../../kit/state.tsx';
import { When } from '../../kit/when.tsx';
import { Budgets } from './budgets.tsx';
import { Denials } from './denials.tsx';
import { Policy } from './policy.tsx';
import { number } from '../../kit/number.ts';

type Room = Output<'controlRoom', 'get'>;
type Wait = Room['waits']['items'][number];
type Live = Room['runs']['items'][number];
type Line = Room['receipts'][number];

const EVERY_MS = 5_000;

const WAITS: Column<Wait>[] = [
  { head: 'Waits', wide: true, cell: ({ title, prompt }) => <Named title={title} under={prompt} /> },
  { head: 'Until', cell: ({ expires_at }) => <When at={expires_at} /> },
  {
    head: 'Actions',
    end: true,
    cell: ({ wait_id }) => (
      <PageLink to="/inbox" search={{ wait: wait_id }} size="sm">
        Answer
      </PageLink>
    ),
  },
];

const RUNS: Column<Live>[] = [
  {
    head: 'Run',
    wide: true,
    cell: ({ agent, skill, run_id }) => (
      <Stack gap={2}>
        <PageLink to="/runs/$run_id" params={{ run_id }} size="sm" fw={600}>
          {agent}.
          <wbr />
          {skill}
        </PageLink>
      </Stack>
    ),
  },
  { head: 'State', cell: ({ state }) => <State of={state} /> },
  { head: 'Calls of agents', end: true, cell: ({ agent_calls }) => number(agent_calls) },
  { head: 'Since', cell: ({ started_at }) => <When at={started_at} /> },
];

const SOURCES: Record<Line['source'], string> = { receipt: 'Receipt', meta_run: 'Goal', subagent_run: 'Call between agents' };

const LINES: Column<Line>[] = [
  { head: 'What', wide: true, cell: ({ title, source, signed }) => <Named title={title} under={SOURCES[source] + (signed ? ', signed' : '')} /> },
  {
    head: 'Status',
    cell: ({ status, denials }) => (
      <Group gap="xs">
        <State of={status} />
        {denials > 0 && <State of="denied" label={`${denials} refused`} />}
      </Group>
    ),
  },
  { head: 'When', cell: ({ at }) => <When at={at} /> },
  { head: 'Open', end: true, cell: (line) => <Look of={line} /> },
];

export function ControlRoom() {
  const room = useRead('controlRoom', 'get', { query: {} }, { every: EVERY_MS });
  return (
    <Page title="Control room" lead="What your agents do now, what it costs, and what they may not do.">
      <Grid gap="xl">
        <Grid.Col span={{ base: 12, lg: 7 }}>
          <Stack gap="xl">
            <Section title="Needs your answer" {...(room.waits.more && { actions: <ToInbox /> })}>
              <FirstFew all={room.waits.items} name="questions">
                {(shown) => (
                  <List
                    label="Needs your answer"
                    pages={shown}
                    columns={WAITS}
                    keyOf={({ wait_id }) => wait_id}
                    empty={<Quiet text="Nothing needs your answer." />}
                  />
                )}
              </FirstFew>
            </Section>
            <Section title="Running now">
              <FirstFew all={room.runs.items} name="runs">
                {(shown) => <List label="Running now" pages={shown} columns={RUNS} keyOf={({ run_id }) => run_id} empty={<Quiet text="Nothing runs." />} />}
              </FirstFew>
            </Section>
            <Denials />
            <Section title="Latest calls">
              <FirstFew all={room.receipts} name="calls">
                {(shown) => (
                  <List
                    label="Latest calls"
                    pages={shown}
                    columns={LINES}
                    keyOf={({ source, item_id }) => `${source}/${item_id}`}
                    empty={
                      <Empty
                        title="No calls yet."
                        action={
                          <ButtonLink to="/agents" variant="light">
                            Find agents
                          </ButtonLink>
                        }
                        command="svc call AGENT SKILL"
                      >
                        Each call leaves a receipt, which is listed here.
                      </Empty>
                    }
                  />
                )}
              </FirstFew>
            </Section>
          </Stack>
        </Grid.Col>
        <Grid.Col span={{ base: 12, lg: 5 }}>
          <Stack gap="xl">
            <Budgets spend={room.spend} isSet={room.policy.set} />
            <Policy policy={room.policy} changes={room.changes} />
          </Stack>
        </Grid.Col>
      </Grid>
    </Page>
  );
}

function Named({ title, under }: { title: string; under: string }) {
  return (
    <Stack gap={2}>
      <Text size="sm" fw={600} dir="auto" style={{ overflowWrap: 'anywhere' }}>
        {title}
      </Text>
      <Under>{under.length > 200 ? `${under.slice(0, 199)}…` : under}</Under>
    </Stack>
  );
}

function Look({ of: { source, item_id, agent } }: { of: Line }) {
  if (source === 'receipt')
    return (
      <PageLink to="/receipts" search={{ agent, id: item_id }} size="sm">
        Receipt
      </PageLink>
    );
  if (source === 'subagent_run')
    return (
      <PageLink to="/calls/$grant_id" params={{ grant_id: item_id }} size="sm">
        Call
      </PageLink>
    );
  return null;
}

function ToInbox() {
  return (
    <PageLink to="/inbox" size="sm">
      Open the inbox
    </PageLink>
  );
}

function Quiet({ text }: { text: string }) {
  return (
    <Text size="sm" c="dimmed">
      {text}
    </Text>
  );
}
