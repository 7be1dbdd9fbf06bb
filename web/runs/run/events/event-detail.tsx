import { CloseButton, Group, Paper, Text } from '@mantine/core';
import { Json } from '../../../kit/code.tsx';
import { useExact } from '../../../kit/exact.ts';
import type { JobEvent } from './log.ts';

export function EventDetail({ event: { seq, kind, at, payload }, onClose }: { event: JobEvent; onClose: () => void }) {
  const exactly = useExact();
  return (
    <Paper withBorder p="sm" component="section" aria-label={`Event ${seq}`} style={{ minWidth: 0 }}>
      <Group justify="space-between" wrap="nowrap" align="start" mb="xs">
        <div style={{ minWidth: 0 }}>
          <Text size="sm" fw={600} style={{ overflowWrap: 'anywhere' }}>
            {seq}: {kind}
          </Text>
          <Text size="xs" c="dimmed">
            {exactly(at)}
          </Text>
        </div>
        <CloseButton size="sm" aria-label="Close the event" onClick={onClose} />
      </Group>
      <Json value={payload} maxHeight={420} label="Payload" />
    </Paper>
  );
}
