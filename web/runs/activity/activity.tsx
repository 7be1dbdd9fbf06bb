// Runs, calls and other work of the account, and calls of its agents. Filters and order stand in the address.
import { Suspense } from 'react';
import { getRouteApi } from '@tanstack/react-router';
import type { Output } from '../../api/client.ts';
import { usePages } from '../../api/query.ts';
import { dollars } from '../../kit/dollars.ts';
import { List, Under } from '../../kit/list.tsx';
import { Empty, Loading, Page } from '../../kit/page.tsx';
import { PageLink } from '../../kit/page-link.tsx';
import { State } from '../../kit/state.tsx';
import { duration } from '../../kit/time.ts';
import { When } from '../../kit/when.tsx';
import { callerWords, kindWords, PURPOSES } from '../list/words.ts';
import { activityInput, type ActivitySearch } from './activity-search.ts';
import { Filters } from './filters.tsx';

type Job = Output<'workLedger', 'activity'>['items'][number];
type Row = Output<'myRuns', 'list'>['items'][number];

const route = getRouteApi('/runs');
/** Plain calls are not among the events of the account. */
const EVERY_MS = 10_000;

export function Activity() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const set = (next: Partial<ActivitySearch>): void => void navigate({ search: (before) => ({ ...before, ...next }), replace: true });
  return (
    <Page title="Runs" lead="Calls, runs, plans, deployments and other work of your account, and calls of your agents.">
      <Filters search={search} onChange={set} />
      <Suspense fallback={<Loading />}>
        <Rows search={search} />
      </Suspense>
    </Page>
  );
}

function Rows({ search }: { search: ActivitySearch }) {
  const pages = usePages('myRuns', 'list', activityInput(search), { every: EVERY_MS });
  const { sort, ...filters } = search;
  const isFiltered = Object.values(filters).some((value) => value !== undefined);
  const hasCosts = pages.items.some(({ cost_micros: cost }) => cost !== null);
  return (
    <List
      label="Work of the account"
      pages={pages}
      keyOf={({ id }) => id}
      columns={[
        {
          head: 'What',
          wide: true,
          cell: (row) => (
            <>
              <RowLink row={row} />
              {row.message !== null && <Under>{row.message.slice(0, 200)}</Under>}
            </>
          ),
        },
        { head: 'Kind', cell: ({ kind, purpose }) => (<>{kindWords(kind)}{purpose && <Under>{PURPOSES[purpose]}</Under>}</>) }, // prettier-ignore
        { head: 'State', cell: ({ state: of }) => <State of={of} /> },
        { head: 'Caller', cell: ({ caller }) => callerWords(caller) },
        { head: 'Version', cell: ({ version }) => version ?? '' },
        { head: 'Started', cell: ({ created_at }) => <When at={created_at} /> },
        { head: 'Duration', end: true, cell: ({ duration_ms: ms }) => (ms === null ? '' : duration(ms)) },
        ...(hasCosts ? [{ head: 'Cost', end: true as const, cell: ({ cost_micros: cost }: Row) => (cost === null ? '' : dollars(cost)) }] : []),
      ]}
      empty={
        sort === 'costliest' && !isFiltered ? (
          <Empty title="No run cost anything yet.">Your own calls of your agents cost nothing.</Empty>
        ) : isFiltered ? (
          <Empty title="No runs match.">Remove a filter to see more.</Empty>
        ) : (
          <Empty title="No runs yet." command="svc call AGENT SKILL">
            Calls, runs, deployments and plans are listed here.
          </Empty>
        )
      }
    />
  );
}

function RowLink({ row: { id, kind, run_id, job_id, plan_id, title } }: { row: Row }) {
  if (plan_id !== null)
    return (
      <PageLink to="/plans/$dag_run_id" params={{ dag_run_id: plan_id }} dir="auto">
        {title}
      </PageLink>
    );
  if (kind === 'reported')
    return (
      <PageLink to="/calls/$grant_id" params={{ grant_id: id }} dir="auto">
        {title}
      </PageLink>
    );
  return <WorkLink runId={run_id} jobId={job_id} title={title} />;
}

/** Of a run to its page, of anything else to its job. */
export function JobLink({ job: { job_id, kind, title, input } }: { job: Job }) {
  const { run_id: runId } = input;
  return <WorkLink runId={kind === 'run' && typeof runId === 'string' ? runId : null} jobId={job_id} title={title} />;
}

function WorkLink({ runId, jobId, title }: { runId: string | null; jobId: string | null; title: string }) {
  if (runId !== null)
    return (
      <PageLink to="/runs/$run_id" params={{ run_id: runId }} dir="auto">
        {title}
      </PageLink>
    );
  return (
    <PageLink to="/jobs/$job_id" params={{ job_id: jobId ?? '' }} dir="auto">
      {title}
    </PageLink>
  );
}
