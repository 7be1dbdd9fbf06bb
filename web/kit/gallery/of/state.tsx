import { Group } from '@mantine/core';
import { State } from '../../state.tsx';
import type { States } from '../states.ts';

export const state: States = {
  'a color for each meaning': () => (
    <Group gap="xs">
      {['live', 'running', 'waiting', 'failed', 'cancelled'].map((of) => (
        <State key={of} of={of} />
      ))}
    </Group>
  ),
  'two words': () => <State of="past_due" />,
  'other words': () => <State of="failed" label="2 failed" />,
};
