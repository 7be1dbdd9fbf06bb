// One span: when, how long, what it says of itself. Attributes are what agents and the platform wrote; they
// are shown as text.
import { Badge, Button, CloseButton, Group, Paper, Stack, Table, Text } from '@mantine/core';
import type { SpanOut } from '#contract/runs/traces.ts';
import { SVC } from '#contract/wire/trace-conventions.ts';
import { brief } from '../../../kit/brief.ts';
import { Code } from '../../../kit/code.tsx';
import { Copyable } from '../../../kit/copy.tsx';
import { LongText } from '../../../kit/long-text.tsx';
import { PageLink } from '../../../kit/page-link.tsx';
import { useExact } from '../../../kit/exact.ts';
import { duration } from '../../../kit/time.ts';
import { aboutOf } from './facts.ts';
import { endOf, startOf } from './tree.ts';

export interface InspectorProps {
  span: SpanOut;
  zero: number;
  now: number;
  onClose(): void;
  onZoom(): void;
}

const MOST_ATTRIBUTES = 200;
const MOST_EVENTS = 50;

export function Inspector({ span, zero, now, onClose, onZoom }: InspectorProps) {
  const exactly = useExact();
  const [from, to] = [startOf(span), endOf(span, now)];
  const attributes = Object.entries(span.attributes).toSorted(([a], [b]) => (a < b ? -1 : 1));
  const about = aboutOf(span);
  return (
    <Paper withBorder p="sm" component="section" aria-label="Span" style={{ minWidth: 0 }}>
      <Group justify="space-between" wrap="nowrap" align="start" gap="xs">
        <Text fw={600} size="sm" component="div" dir="auto" data-authored style={{ overflowWrap: 'anywhere' }}>
          <LongText text={span.name} short={200} inherit />
        </Text>
        <CloseButton size="sm" aria-label="Close the span" onClick={onClose} />
      </Group>
      <Group gap={6} my={6}>
        {span.status === 'error' && (
          <Badge color="red" variant="light" size="sm" radius="sm" tt="none">
            failed
          </Badge>
        )}
        <Badge color="gray" variant="light" size="sm" radius="sm" tt="none">
          {span.source === 'platform' ? 'seen by the platform' : `said by ${brief(span.agent, 60)}`}
        </Badge>
      </Group>
      <Stack gap={4}>
        <Text size="sm">
          {duration(to - from)}
          {span.end_ns === null ? ', not ended' : ''}, from +{duration(from - zero)}
        </Text>
        <Text size="xs" c="dimmed">
          {exactly(new Date(from).toISOString())}
        </Text>
        {about !== '' && span.status !== 'error' && <LongText text={about} short={300} size="sm" />}
        {span.message !== null && span.message !== '' && <Code text={brief(span.message, 8_000)} maxHeight={160} label="Why it failed" />}
        <Group gap="xs" my={4}>
          <Button variant="default" size="compact-xs" onClick={onZoom}>
            Zoom to it
          </Button>
          {typeof span.attributes[SVC.run] === 'string' && (
            <PageLink size="xs" to="/runs/$run_id" params={{ run_id: span.run_id }}>
              Open this run
            </PageLink>
          )}
        </Group>
      </Stack>
      {attributes.length > 0 && (
        <Table verticalSpacing={3} horizontalSpacing={4} fz="xs" aria-label="Attributes" layout="fixed" mt="xs">
          <Table.Tbody>
            {attributes.slice(0, MOST_ATTRIBUTES).map(([name, value]) => (
              <Table.Tr key={name}>
                <Table.Th scope="row" fw={500} c="dimmed" style={{ overflowWrap: 'anywhere', verticalAlign: 'top' }}>
                  {brief(name, 120)}
                </Table.Th>
                <Table.Td style={{ overflowWrap: 'anywhere' }}>
                  <LongText text={brief(value, 20_000)} short={300} inherit />
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      )}
      <Text size="xs" c="dimmed" mt="xs" component="div">
        <Copyable value={span.span_id} label="span id" />
      </Text>
      {span.events.length > 0 && (
        <>
          <Text size="sm" fw={600} mt="sm">
            Events
          </Text>
          {span.events.slice(0, MOST_EVENTS).map((event, index) => (
            <Text key={index} size="xs" component="div" mt={4} style={{ overflowWrap: 'anywhere' }}>
              +{duration(Number(event.at_ns) / 1e6 - zero)} <b>{brief(event.name, 120)}</b>
              <LongText text={brief(event.attributes, 8_000)} short={300} inherit c="dimmed" />
            </Text>
          ))}
          {span.events.length > MOST_EVENTS && <Text size="xs">and {span.events.length - MOST_EVENTS} more</Text>}
        </>
      )}
    </Paper>
  );
}
