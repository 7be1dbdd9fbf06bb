// What the account does and has done, newest first. What is filtered by stands in the address.
import { Group, Select, TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { getRouteApi } from '@tanstack/react-router';
import { Suspense, useState } from 'react';
import type { Output } from '../../api/client.ts';
import { usePages } from '../../api/query.ts';
import { refreshInterval } from '../../api/refresh-interval.ts';
import { List, Under } from '../../kit/list.tsx';
import { Empty, Loading, Page } from '../../kit/page.tsx';
import { PageLink } from '../../kit/page-link.tsx';
import { State } from '../../kit/state.tsx';
import { lasted } from '../../kit/time.ts';
import { When } from '../../kit/when.tsx';
import { activityInput, type ActivitySearch, JOB_KINDS, JOB_STATES } from './activity-search.ts';

type Job = Output<'workLedger', 'activity'>['items'][number];

const route = getRouteApi('/runs');
const EVERY_MS = 4_000;
const LABELS: Record<string, string> = {
  run: 'Runs',
  deploy: 'Deployments',
  dag: 'Plans',
  heal: 'Repairs',
  review: 'Reviews',
  proof: 'Proofs',
  adversarial_review_loop: 'Challenges',
  protocol_simulation: 'Rehearsals',
  kernel_simulation: 'Simulations',
  kernel_evolution: 'Comparisons',
  import: 'Imports',
  purge: 'Purges',
};

export function Activity() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const set = (next: Partial<ActivitySearch>): void => void navigate({ search: (before) => ({ ...before, ...next }), replace: true });
  return (
    <Page title="Runs" lead="Runs of skills, deployments and other long work of your account.">
      <Group gap="xs">
        <Select
          aria-label="Kind of work"
          placeholder="All kinds"
          size="xs"
          clearable
          data={JOB_KINDS.map((kind) => ({ value: kind, label: LABELS[kind] ?? kind }))}
          value={search.kind ?? null}
          onChange={(kind) => set({ kind: JOB_KINDS.find((one) => one === kind) })}
        />
        <Select
          aria-label="State"
          placeholder="All states"
          size="xs"
          clearable
          data={[...JOB_STATES]}
          value={search.state ?? null}
          onChange={(state) => set({ state: JOB_STATES.find((one) => one === state) })}
        />
        <AgentFilter agent={search.agent} onChange={(agent) => set({ agent })} />
      </Group>
      <Suspense fallback={<Loading />}>
        <Jobs search={search} />
      </Suspense>
    </Page>
  );
}

function AgentFilter({ agent = '', onChange }: { agent: string | undefined; onChange(agent: string | undefined): void }) {
  const [text, setText] = useState(agent);
  const settle = useDebouncedCallback((value: string) => onChange(value.trim() || undefined), 300);
  return (
    <TextInput
      aria-label="Agent"
      placeholder="Name of an agent"
      size="xs"
      value={text}
      onChange={(event) => {
        setText(event.currentTarget.value);
        settle(event.currentTarget.value);
      }}
    />
  );
}

function Jobs({ search: { kind, state, agent } }: { search: ActivitySearch }) {
  const pages = usePages('workLedger', 'activity', activityInput({ kind, state, agent }), { every: refreshInterval(EVERY_MS) });
  const isFiltered = kind !== undefined || state !== undefined || agent !== undefined;
  return (
    <List
      label="Work of the account"
      pages={pages}
      keyOf={({ job_id }) => job_id}
      columns={[
        {
          head: 'What',
          wide: true,
          cell: (job) => (
            <>
              <JobLink job={job} />
              {job.error && <Under>{job.error.message.slice(0, 200)}</Under>}
            </>
          ),
        },
        { head: 'Kind', cell: ({ kind: of }) => of },
        { head: 'State', cell: ({ state: of }) => <State of={of} /> },
        { head: 'Began', cell: ({ created_at }) => <When at={created_at} /> },
        { head: 'Took', end: true, cell: (job) => (job.started_at ? lasted(job.started_at, job.ended_at) : '') },
      ]}
      empty={
        isFiltered ? (
          <Empty title="No runs match.">Remove a filter to see more.</Empty>
        ) : (
          <Empty title="Nothing ran yet." command="svc call AGENT SKILL --durable">
            Durable runs, deployments and plans come here.
          </Empty>
        )
      }
    />
  );
}

/** Of a run to its page, of anything else to its job. */
export function JobLink({ job: { job_id, kind, title, input } }: { job: Job }) {
  const { run_id: runId } = input;
  if (kind === 'run' && typeof runId === 'string')
    return (
      <PageLink to="/runs/$run_id" params={{ run_id: runId }} dir="auto">
        {title}
      </PageLink>
    );
  return (
    <PageLink to="/jobs/$job_id" params={{ job_id }} dir="auto">
      {title}
    </PageLink>
  );
}
