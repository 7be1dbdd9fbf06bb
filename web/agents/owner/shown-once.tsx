// What is shown this once: a secret that the platform does not keep in the clear.
import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import { IconKey } from '@tabler/icons-react';
import { Code } from '../../kit/code.tsx';

export interface ShownOnceProps {
  title: string;
  values: { label: string; value: string }[];
  note?: string;
  onDone: () => void;
}

export function ShownOnce({ title, values, note, onDone }: ShownOnceProps) {
  return (
    <Alert color="teal" icon={<IconKey size={18} />} title={title} mb="md">
      <Stack gap="xs">
        {values.map(({ label, value }) => (
          <div key={label}>
            <Text size="sm" fw={600}>
              {label}
            </Text>
            <Code text={value} label={label} />
          </div>
        ))}
        {note !== undefined && <Text size="sm">{note}</Text>}
        <Group justify="end">
          <Button size="xs" variant="default" onClick={onDone}>
            I have it
          </Button>
        </Group>
      </Stack>
    </Alert>
  );
}
