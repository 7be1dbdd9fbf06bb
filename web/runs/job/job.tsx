// Any long work: what it is, its events as they come, what it began.
import { Text } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useSend, useRead } from '../../api/query.ts';
import { AskingAction } from '../../kit/action.tsx';
import { Json } from '../../kit/code.tsx';
import { Copyable } from '../../kit/copy.tsx';
import { List } from '../../kit/list.tsx';
import { Facts, Page, Section } from '../../kit/page.tsx';
import { PageLink } from '../../kit/page-link.tsx';
import { State } from '../../kit/state.tsx';
import { lasted } from '../../kit/time.ts';
import { When } from '../../kit/when.tsx';
import { JobLink } from '../activity/activity.tsx';
import { kindWords } from '../list/words.ts';
import { WorkflowLink } from '../run/actions/workflow-link.tsx';
import { EventList } from '../run/events/event-list.tsx';
import { useJobEvents } from '../run/events/use-job-events.ts';
import { childrenQuery } from './children.ts';

const route = getRouteApi('/jobs/$job_id');

export function JobPage() {
  const { job_id } = route.useParams();
  return <OneJob key={job_id} id={job_id} />;
}

function OneJob({ id }: { id: string }) {
  const queryClient = useQueryClient();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const job = useRead('workLedger', 'get', { params: { job_id: id } }, { every: (last) => (last?.ended_at === null ? 5_000 : false) });
  const events = useJobEvents(job.events === 'removed' ? null : id, (added) => {
    // Of all its events, only these change the job.
    if (added.some(({ kind }) => kind.startsWith('job.'))) void queryClient.invalidateQueries({ queryKey: ['workLedger', 'get'] });
  });
  const cancelling = useSend('workLedger', 'cancel', { done: 'It is being cancelled.' });
  const isOver = job.ended_at !== null;
  const { run_id: runId, dag_run_id: planId } = job.input;
  return (
    <Page
      title={job.title}
      beside={<State of={job.state} />}
      crumbs={[{ label: 'Runs', to: '/runs' }]}
      actions={
        !isOver && (
          <AskingAction
            label="Cancel it"
            size="xs"
            question="Cancel this work?"
            loading={cancelling.isPending}
            onAct={() => cancelling.mutate({ params: { job_id: id } })}
          >
            What it began is undone as far as that is possible, and its grants are revoked.
          </AskingAction>
        )
      }
    >
      <Facts
        of={{
          Job: <Copyable value={id} label="job id" />,
          Kind: (
            <>
              {kindWords(job.kind)} <WorkflowLink jobId={id} />
            </>
          ),
          Agent: job.agent && (
            <PageLink to="/agents/$name" params={{ name: job.agent }} inherit>
              {job.agent}
            </PageLink>
          ),
          Run: typeof runId === 'string' && (
            <PageLink to="/runs/$run_id" params={{ run_id: runId }} inherit>
              {runId}
            </PageLink>
          ),
          Plan: typeof planId === 'string' && (
            <PageLink to="/plans/$dag_run_id" params={{ dag_run_id: planId }} inherit>
              Steps of the plan
            </PageLink>
          ),
          'Part of': job.parent_job_id && (
            <PageLink to="/jobs/$job_id" params={{ job_id: job.parent_job_id }} inherit>
              {job.parent_job_id}
            </PageLink>
          ),
          Asked: <When at={job.created_at} />,
          Took: job.started_at && lasted(job.started_at, job.ended_at),
          Error: job.error && `${job.error.message} (${job.error.code})`,
        }}
      />
      <Section title="Events">
        <EventList
          of={events}
          kinds={search.kinds}
          event={search.event}
          noEvents={job.events === 'removed' ? 'They were removed when the time that events are kept ended.' : undefined}
          onSearch={(next) => void navigate({ search: (before) => ({ ...before, ...next }), replace: true, resetScroll: false })}
        />
      </Section>
      <ChildJobs job={job} isOver={isOver} />
      {job.output !== null && (
        <Section title="Output">
          <Json value={job.output} label="What came of it" />
        </Section>
      )}
    </Page>
  );
}

function ChildJobs({ job, isOver }: { job: { job_id: string; created_at: string }; isOver: boolean }) {
  const { data } = useQuery({ ...childrenQuery(job), refetchInterval: isOver ? false : 5_000 });
  if (!data || (data.jobs.length === 0 && !data.isCut)) return null;
  return (
    <Section title="What it began">
      <List
        label="Jobs that it began"
        pages={data.jobs}
        keyOf={({ job_id }) => job_id}
        columns={[
          { head: 'What', wide: true, cell: (child) => <JobLink job={child} /> },
          { head: 'Kind', cell: ({ kind }) => kindWords(kind) },
          { head: 'State', cell: ({ state }) => <State of={state} /> },
          { head: 'Took', end: true, cell: (child) => (child.started_at ? lasted(child.started_at, child.ended_at) : '') },
        ]}
        empty={<Text size="sm">None was found.</Text>}
      />
      {data.isCut && (
        <Text size="sm" c="dimmed" mt="xs">
          Looked for among the newest 1,000 jobs of the account; there may be more.
        </Text>
      )}
    </Section>
  );
}
