import { Progress, Text } from '@mantine/core';

/** `part`: from 0 to 1; absent: how far it is is not known. */
export function ProgressLine({ message, part }: { message: string; part: number | undefined }) {
  return (
    <div style={{ marginBottom: 8 }}>
      <Text size="sm" mb={4} dir="auto" style={{ overflowWrap: 'anywhere' }}>
        {message}
      </Text>
      <Progress value={(part ?? 1) * 100} animated={part === undefined} aria-label="Progress" />
    </div>
  );
}
