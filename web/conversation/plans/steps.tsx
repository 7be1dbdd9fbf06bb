// The steps of a plan as a list: what each is, what it waits for, how it stands, its run.
import { Anchor, Group, Stack, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { State } from '../../kit/state.tsx';
import type { GraphStep } from './graph.tsx';
import styles from './steps.module.css';

/** @param under what is known of a step beyond that */
export function Steps<T extends GraphStep>({ steps, under }: { steps: readonly T[]; under?: (step: T) => ReactNode }) {
  return (
    <ol className={styles.steps} aria-label="Steps">
      {steps.map((step) => (
        <li key={step.number}>
          <Group justify="space-between" gap="xs">
            <Group gap="xs" miw={0}>
              <Text size="sm" c="dimmed">
                {step.number}
              </Text>
              <Text size="sm" fw={600} style={{ overflowWrap: 'anywhere' }}>
                {step.agent}.{step.skill}
              </Text>
              <State of={step.state} />
              {step.dependsOn.length > 0 && (
                <Text size="xs" c="dimmed">
                  after {step.dependsOn.join(', ')}
                </Text>
              )}
            </Group>
            {step.runId !== null && (
              <Anchor component={Link} to={`/runs/${step.runId}`} size="sm" aria-label={`Run of step ${step.number}`}>
                Run
              </Anchor>
            )}
          </Group>
          {under && <Stack gap="xs">{under(step)}</Stack>}
        </li>
      ))}
    </ol>
  );
}
