// Runs of teams, what is known of the agents that work may go to, and what finished work taught.
import { Box, Button, Tabs } from '@mantine/core';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { Output } from '../../api/client.ts';
import { usePages, type Item } from '../../api/query.ts';
import { RequestForm } from '../../form/request-form.tsx';
import { List, Under, type Column } from '../../kit/list.tsx';
import { ButtonLink, PageLink } from '../../kit/page-link.tsx';
import { Empty, Page } from '../../kit/page.tsx';
import { State } from '../../kit/state.tsx';
import { When } from '../../kit/when.tsx';
import { Planned } from './planned.tsx';
import { percent } from '#contract/studio/percent.ts';
import { number } from '../../kit/number.ts';
import { inWords } from '../../kit/in-words.ts';

type Run = Item<'collectiveRuntime', 'runs'>;
type Card = Item<'collectiveRuntime', 'scorecards'>;
type Memory = Item<'collectiveRuntime', 'memories'>;
const route = getRouteApi('/teams');

const RUNS: Column<Run>[] = [
  {
    head: 'Goal',
    wide: true,
    cell: ({ dag_run_id, goal, protocol }) => (
      <>
        <PageLink to="/teams/$dag_run_id" params={{ dag_run_id }} fw={600} dir="auto" lineClamp={2}>
          {goal}
        </PageLink>
        <Under>{inWords(protocol)}</Under>
      </>
    ),
  },
  { head: 'State', cell: ({ state }) => <State of={state} /> },
  { head: 'Began', cell: ({ created_at }) => <When at={created_at} /> },
];

const CARDS: Column<Card>[] = [
  {
    head: 'Agent',
    wide: true,
    cell: ({ agent, reason }) => (
      <>
        <PageLink to="/agents/$name" params={{ name: agent }} fw={600}>
          {agent}
        </PageLink>
        <Under>{reason}</Under>
      </>
    ),
  },
  { head: 'Routing', cell: ({ routing_state }) => <State of={routing_state} /> },
  {
    head: 'Good',
    end: true,
    cell: ({ mean, low, high }) => (
      <>
        {percent(mean)}
        <Under>
          {percent(low)} to {percent(high)}
        </Under>
      </>
    ),
  },
  { head: 'Calls', end: true, cell: ({ calls }) => number(calls) },
  { head: 'Proofs', end: true, cell: ({ proofs }) => (proofs.passed + proofs.failed === 0 ? '' : `${proofs.passed} of ${proofs.passed + proofs.failed}`) },
  { head: 'Trials', end: true, cell: ({ trials }) => (trials.mean === null ? '' : percent(trials.mean)) },
];

const MEMORIES: Column<Memory>[] = [
  {
    head: 'Lesson',
    wide: true,
    cell: ({ text, about }) => (
      <>
        <span dir="auto" style={{ overflowWrap: 'anywhere' }}>
          {text}
        </span>
        <Under>{about}</Under>
      </>
    ),
  },
  { head: 'Kind', cell: ({ kind }) => inWords(kind) },
  { head: 'Rests on', cell: ({ sources }) => (sources.length === 0 ? 'no source' : `${sources.length} ${sources.length === 1 ? 'receipt' : 'receipts'}`) },
  { head: 'Kept', cell: ({ created_at }) => <When at={created_at} /> },
];

export function Teams() {
  const { show, plan } = route.useSearch();
  const navigate = useNavigate();
  if (plan === true) return <NewTeam />;
  return (
    <Page
      title="Teams"
      lead="Several agents for one goal, under rules: who does what, in which order, and which gates you open."
      actions={<Button onClick={() => void navigate({ to: '/teams', search: { plan: true } })}>Plan a team</Button>}
    >
      <Tabs value={show ?? 'runs'} onChange={(tab) => void navigate({ to: '/teams', search: tab === 'scorecards' || tab === 'memories' ? { show: tab } : {} })}>
        <Tabs.List mb="md">
          <Tabs.Tab value="runs">Runs</Tabs.Tab>
          <Tabs.Tab value="scorecards">Scorecards</Tabs.Tab>
          <Tabs.Tab value="memories">Memories</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value={show ?? 'runs'}>{show === 'scorecards' ? <Scorecards /> : show === 'memories' ? <Memories /> : <Runs />}</Tabs.Panel>
      </Tabs>
    </Page>
  );
}

function Runs() {
  const pages = usePages('collectiveRuntime', 'runs', { query: { limit: 50 } }, { every: 10_000 });
  const empty = (
    <Empty
      title="No teams yet"
      action={
        <ButtonLink to="/teams" search={{ plan: true as const }} variant="light">
          Plan a team
        </ButtonLink>
      }
      command="svc team plan GOAL --protocol research_parallel_scouts"
    >
      Or plan one here.
    </Empty>
  );
  return <List label="Runs of teams" pages={pages} columns={RUNS} keyOf={({ dag_run_id }) => dag_run_id} empty={empty} />;
}

function Scorecards() {
  const pages = usePages('collectiveRuntime', 'scorecards', { query: { limit: 50 } });
  const empty = (
    <Empty title="No agent yet" command="svc use AGENT">
      Agents of your own, installed ones and those you have called are shown here.
    </Empty>
  );
  return <List label="Scorecards" pages={pages} columns={CARDS} keyOf={({ agent }) => agent} empty={empty} />;
}

function Memories() {
  const pages = usePages('collectiveRuntime', 'memories', { query: { limit: 50 } });
  const empty = (
    <Empty title="Nothing kept yet" command="svc team learn RUN">
      What a finished run taught is kept when you say so.
    </Empty>
  );
  return <List label="Memories" pages={pages} columns={MEMORIES} keyOf={({ memory_id }) => memory_id} empty={empty} />;
}

function NewTeam() {
  const navigate = useNavigate();
  const [planned, setPlanned] = useState<Output<'collectiveRuntime', 'plan'>>();
  return (
    <Page title="Plan a team" crumbs={[{ label: 'Teams', to: '/teams' }]} lead="Nothing is called before you start the plan.">
      {planned ? (
        <Planned plan={planned} onAgain={() => setPlanned(undefined)} />
      ) : (
        <Box maw={720}>
          <RequestForm
            group="collectiveRuntime"
            route="plan"
            input={{}}
            submit="Plan"
            done="Planned."
            refresh={[]}
            onDone={setPlanned}
            onCancel={() => void navigate({ to: '/teams', search: {} })}
          />
        </Box>
      )}
    </Page>
  );
}
