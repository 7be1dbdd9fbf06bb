// A plan in a conversation: a graph that fills in while it runs, and its steps with what they made.
import { Anchor, Group, Paper, Skeleton, Stack, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { lazy, Suspense } from 'react';
import { Markdown } from '../../kit/markdown.tsx';
import { State } from '../../kit/state.tsx';
import { Steps } from '../plans/steps.tsx';
import type { Conversation, Plan } from './conversation.ts';
import { FaultShown } from './refusal.tsx';
import { CancelJob, RunBody } from './run-card.tsx';
import styles from './chat.module.css';

const PlanGraph = lazy(async () => ({ default: (await import('../plans/graph.tsx')).PlanGraph }));

export interface PlanCardProps {
  plan: Plan;
  entries: Conversation['entries'];
  /** Runs that wait for a decision. */
  waits: ReadonlySet<string>;
}

export function PlanCard({ plan, entries, waits }: PlanCardProps) {
  const steps = plan.steps.map((step) => ({
    ...step,
    state: step.runId !== null && waits.has(step.runId) && step.state === 'running' ? 'waiting' : step.state,
  }));
  return (
    <Paper withBorder p="sm" className={styles.assistant} component="article" aria-label={`Plan: ${plan.title}`}>
      <Stack gap="sm">
        <Group justify="space-between" gap="xs">
          <Group gap="xs" miw={0}>
            <Text size="sm" fw={600}>
              Plan of {plan.steps.length} {plan.steps.length === 1 ? 'step' : 'steps'}
            </Text>
            <State of={plan.state} />
          </Group>
          <Group gap="sm">
            <Anchor component={Link} to={`/plans/${plan.key}`} size="sm">
              Plan
            </Anchor>
            {plan.jobId !== null && plan.state === 'running' && <CancelJob jobId={plan.jobId} />}
          </Group>
        </Group>
        {steps.length > 1 && (
          <Suspense fallback={<Skeleton h={140} />}>
            <PlanGraph steps={steps} />
          </Suspense>
        )}
        <Steps
          steps={steps}
          under={({ runId, error }) => {
            const run = entries.get(runId ?? '');
            if (run?.is === 'run') return <RunBody run={run} inPlan />;
            return error && <FaultShown of={error} />;
          }}
        />
        {plan.said !== '' && <Markdown text={plan.said} />}
        {plan.error && <FaultShown of={plan.error} />}
      </Stack>
    </Paper>
  );
}
