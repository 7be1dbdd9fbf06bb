// One run of the studio: how far it is, what was written and refused, what its samples answered, what it
// cost, what is left for its owner.
import { Group, List as Bullets, Progress, Text } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import { ApiError } from '#contract/client.ts';
import type { Output } from '../../api/client.ts';
import { useRead, useSend } from '../../api/query.ts';
import { AskingAction } from '../../kit/action.tsx';
import { Failure } from '../../kit/failure.tsx';
import { ButtonLink, PageLink } from '../../kit/page-link.tsx';
import { Facts, Page, Section } from '../../kit/page.tsx';
import { State } from '../../kit/state.tsx';
import { When } from '../../kit/when.tsx';
import { dollars } from '../../kit/dollars.ts';
import { Advice } from '../../kit/advice.tsx';
import { Iterations } from './iterations.tsx';
import { Phases, Steps } from './phases.tsx';
import { Samples } from './samples.tsx';
import { DECISIONS, RECIPES, REVIEWS } from './words.ts';

type Run = Output<'agentStudio', 'get'>;
const route = getRouteApi('/studio/runs/$run_id');
const OPEN_MS = 3_000;

export function StudioRun() {
  const { run_id } = route.useParams();
  const run = useRead('agentStudio', 'get', { params: { run_id } }, { every: (last) => (last?.ended_at === null ? OPEN_MS : false) });
  const { name, state, goal, deploy_id, error } = run;
  return (
    <Page
      title={name}
      beside={<State of={state} />}
      crumbs={[{ label: 'Studio', to: '/studio' }]}
      lead={goal}
      actions={
        <>
          {deploy_id !== null && (
            <ButtonLink to="/agents/$name" params={{ name }} variant="default">
              The agent
            </ButtonLink>
          )}
          {run.iterations.length > 0 && (
            <ButtonLink to="/agents/mine/$name/source" params={{ name }} variant="default">
              Its source
            </ButtonLink>
          )}
          {run.ended_at === null && <Cancel run={run} />}
        </>
      }
    >
      <Phases of={run} />
      {error && <Failure error={new ApiError(0, { ...error })} />}
      <Left next={run.next} />
      <Facts of={factsOf(run)} />
      <Iterations of={run.iterations} />
      <Samples of={run} />
      <Steps key={run_id} runId={run_id} isOpen={run.ended_at === null} />
    </Page>
  );
}

function Cancel({ run: { job_id } }: { run: Run }) {
  const cancel = useSend('workLedger', 'cancel', { done: 'It is being cancelled.', refresh: ['agentStudio', 'workLedger'] });
  return (
    <AskingAction
      label="Cancel"
      question="Cancel this run?"
      not={job_id === null && 'Its job is gone.'}
      loading={cancel.isPending}
      onAct={() => job_id !== null && cancel.mutate({ params: { job_id } })}
    >
      What was written stays in the source of the agent. What runs is stopped.
    </AskingAction>
  );
}

function Left({ next }: Pick<Run, 'next'>) {
  if (next.length === 0) return null;
  return (
    <Section title="Next steps for you">
      <Bullets size="sm">
        {next.map((one) => (
          <Bullets.Item key={one} dir="auto" style={{ overflowWrap: 'anywhere' }}>
            <Advice text={one} />
          </Bullets.Item>
        ))}
      </Bullets>
    </Section>
  );
}

function factsOf(run: Run): Parameters<typeof Facts>[0]['of'] {
  const { name, decision, agents, recipe, model, review, spent_micros, budget_micros, calls, challenge_job_id, job_id, ended_at } = run;
  return {
    How: `${DECISIONS[decision]}${agents.length === 0 ? '' : `: ${agents.join(', ')}`}`,
    Recipe: recipe && RECIPES[recipe],
    'Language model': model ?? 'None writes, so nothing is spent.',
    Spent:
      model === null ? null : (
        <Group gap="sm">
          <Text size="sm">
            {dollars(spent_micros)} of {dollars(budget_micros)}
          </Text>
          <Progress value={(100 * spent_micros) / budget_micros} w={160} aria-label="Part of the budget that is spent" />
        </Group>
      ),
    Samples: `${calls.made} of ${calls.most} calls`,
    Review: REVIEWS[review],
    Challenge: challenge_job_id && (
      <PageLink to="/agents/mine/$name/challenges/$jobId" params={{ name, jobId: challenge_job_id }} inherit>
        What was tried and found
      </PageLink>
    ),
    Began: <When at={run.created_at} />,
    'Ends at the latest': ended_at === null ? <When at={run.deadline_at} /> : null,
    Ended: ended_at && <When at={ended_at} />,
    Job: job_id && (
      <PageLink to="/jobs/$job_id" params={{ job_id }} inherit>
        All its events
      </PageLink>
    ),
  };
}
