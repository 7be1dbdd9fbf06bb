import { Group, Paper, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { State } from '../../kit/state.tsx';
import { When } from '../../kit/when.tsx';

/** A thing that the processor for test money has, and what may be done with it. */
export function Row({ text, state, at, children }: { text: string; state?: string; at?: string; children?: ReactNode }) {
  return (
    <Paper withBorder p="sm" mb="xs">
      <Group justify="space-between">
        <Group gap="sm">
          <Text size="sm">{text}</Text>
          {state !== undefined && <State of={state} />}
          {at !== undefined && <When at={at} />}
        </Group>
        <Group gap="xs">{children}</Group>
      </Group>
    </Paper>
  );
}
