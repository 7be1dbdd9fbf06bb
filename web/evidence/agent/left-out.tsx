import { Text } from '@mantine/core';

/** What the reader does not see of it. */
export function LeftOut({ of }: { of: readonly string[] }) {
  if (of.length === 0) return null;
  return (
    <Text size="sm" c="dimmed" mt="sm">
      Not shown to you: {of.join(', ')}.
    </Text>
  );
}
