// How far a run is, as steps in a row; and what was done, line by line.
import { Badge, Group, ScrollArea, Stack, Text } from '@mantine/core';
import type { Output } from '../../api/client.ts';
import { Section } from '../../kit/page.tsx';
import { When } from '../../kit/when.tsx';
import { namesInWords } from '../../kit/plain-words.ts';
import { useSteps } from './use-steps.ts';
import { type PhaseState, phasesOf } from './words.ts';

const COLORS: Record<PhaseState, string> = { done: 'teal', left_out: 'gray', now: 'blue', stopped: 'red', later: 'gray' };
const SAYS: Record<PhaseState, string> = { done: 'done', left_out: 'left out', now: 'now', stopped: 'stopped here', later: 'not yet' };

export function Phases({ of }: { of: Output<'agentStudio', 'get'> }) {
  return (
    <Group component="ol" gap="xs" m={0} p={0} aria-label="Phases" style={{ listStyle: 'none' }}>
      {phasesOf(of).map(({ label, state }, at) => (
        <li key={label} {...(state === 'now' && { 'aria-current': 'step' as const })}>
          <Badge variant="light" color={COLORS[state]} radius="sm" tt="none" size="lg">
            {at + 1}. {label}: {SAYS[state]}
          </Badge>
        </li>
      ))}
    </Group>
  );
}

export function Steps({ runId, isOpen }: { runId: string; isOpen: boolean }) {
  const { steps, state } = useSteps(runId);
  return (
    <Section title="What was done" lead={isOpen && state === 'waiting' ? 'Newest first. The connection was lost; connecting again.' : 'Newest first.'}>
      <ScrollArea.Autosize mah={320} viewportProps={{ tabIndex: 0, 'aria-label': 'What was done', role: 'group' }}>
        <Stack gap={4} component="ol" m={0} pl={0} style={{ listStyle: 'none' }}>
          {steps.length === 0 && (
            <Text component="li" size="sm" c="dimmed">
              Nothing yet.
            </Text>
          )}
          {steps.toReversed().map(({ seq, at, who, message, refused }) => (
            <Text component="li" key={seq} size="sm" dir="auto" style={{ overflowWrap: 'anywhere' }}>
              <When at={at} />{' '}
              <Text span inherit c="dimmed">
                {who}
              </Text>{' '}
              {refused && (
                <Text span inherit fw={600}>
                  refused:{' '}
                </Text>
              )}
              {namesInWords(message)}
            </Text>
          ))}
        </Stack>
      </ScrollArea.Autosize>
    </Section>
  );
}
