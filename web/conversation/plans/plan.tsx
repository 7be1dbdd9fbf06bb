// One plan as it goes: a graph, and the same as a list with what each step took and gave.
import { Anchor, Group, Skeleton, Text } from '@mantine/core';
import { getRouteApi, Link } from '@tanstack/react-router';
import { lazy, Suspense } from 'react';
import { ApiError } from '#contract/client.ts';
import type { Output } from '../../api/client.ts';
import { useRead, useSend } from '../../api/query.ts';
import { AskingAction } from '../../kit/action.tsx';
import { Json } from '../../kit/code.tsx';
import { Failure } from '../../kit/failure.tsx';
import { Empty, Facts, Page, Section } from '../../kit/page.tsx';
import { State } from '../../kit/state.tsx';
import { lasted } from '../../kit/time.ts';
import { When } from '../../kit/when.tsx';
import { WaitCard } from '../../pauses/wait/wait-card.tsx';
import { PLANNERS } from './planners.ts';
import { Steps } from './steps.tsx';

const PlanGraph = lazy(async () => ({ default: (await import('./graph.tsx')).PlanGraph }));
const route = getRouteApi('/plans/$dag_run_id');

type Node = Output<'dagRuns', 'get'>['nodes'][number];

const OPEN_MS = 1_500;

export function Plan() {
  const { dag_run_id } = route.useParams();
  const plan = useRead('dagRuns', 'get', { params: { dag_run_id } }, { every: (last) => (last?.ended_at === null ? OPEN_MS : false) });
  const cancel = useSend('workLedger', 'cancel', { done: 'It is being cancelled.', refresh: ['dagRuns', 'workLedger'] });
  const { title, state, planner, thread_id, nodes, nodes_ended, nodes_total, created_at, ended_at, error, job_id } = plan;
  const steps = nodes.map((node) => ({ ...node, dependsOn: node.depends_on, runId: node.run_id }));
  return (
    <Page
      title={title}
      crumbs={[{ label: 'Runs', to: '/runs' }]}
      beside={<State of={state} />}
      actions={
        <AskingAction
          label="Cancel"
          question="Cancel this plan?"
          not={ended_at !== null && 'It has ended.'}
          loading={cancel.isPending}
          onAct={() => cancel.mutate({ params: { job_id } })}
        >
          Running steps are cancelled, and no further step starts. Ended steps stay as they are.
        </AskingAction>
      }
    >
      <Facts
        of={{
          Steps: `${nodes_ended} of ${nodes_total} have ended`,
          'Comes from': PLANNERS[planner],
          Began: <When at={created_at} />,
          Took: ended_at && lasted(created_at, ended_at),
          Conversation: thread_id && (
            <Anchor component={Link} to={`/chat/${thread_id}`} inherit>
              Open it
            </Anchor>
          ),
        }}
      />
      {error && <Failure error={new ApiError(0, { ...error })} />}
      {steps.length === 0 ? (
        <Empty title="No step yet">{planner === 'model' ? 'The language model has not chosen one.' : 'It was made without any.'}</Empty>
      ) : (
        <>
          <Section title="Graph">
            <Suspense fallback={<Skeleton h={200} />}>
              <PlanGraph steps={steps} />
            </Suspense>
          </Section>
          <Section title="Steps">
            <Steps steps={steps} under={(step) => <StepFacts of={step} />} />
          </Section>
        </>
      )}
    </Page>
  );
}

function StepFacts({ of: { args, result, error, wait, files_changed, receipt_id, started_at, ended_at } }: { of: Node }) {
  return (
    <>
      <Group gap="md">
        {started_at && (
          <Text size="xs" c="dimmed">
            <When at={started_at} />
            {ended_at && `, took ${lasted(started_at, ended_at)}`}
          </Text>
        )}
        {receipt_id && (
          <Anchor component={Link} to={`/receipts/${receipt_id}`} size="xs">
            Receipt
          </Anchor>
        )}
      </Group>
      {Object.keys(args).length > 0 && <Folded label="Arguments" value={args} />}
      {result !== null && <Folded label="Result" value={result} />}
      {files_changed.length > 0 && (
        <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
          Files changed: {files_changed.map(({ path, operation }) => (operation === 'delete' ? `${path} (deleted)` : path)).join(', ')}
        </Text>
      )}
      {wait && <WaitCard wait={wait} />}
      {error && <Failure error={new ApiError(0, { ...error })} />}
    </>
  );
}

function Folded({ label, value }: { label: string; value: unknown }) {
  return (
    <details>
      <Text component="summary" size="sm" c="dimmed" style={{ cursor: 'pointer' }}>
        {label}
      </Text>
      <Json value={value} label={label} maxHeight={320} />
    </details>
  );
}
