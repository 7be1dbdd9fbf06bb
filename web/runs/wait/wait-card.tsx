// One decision that waits for the reader: a question, a form, a call of another agent, a wider grant.
import { Paper, Text } from '@mantine/core';

/** As a run, a turn and a thread show it. */
export interface Waiting {
  wait_id: string;
  kind: 'question' | 'input_request' | 'handoff_approval' | 'scope_request';
  prompt: string;
  schema?: Record<string, unknown>;
  request?: Record<string, unknown>;
  expires_at: string;
  agent: string;
  skill: string;
  run_id: string | null;
  choices?: string[];
}

export function WaitCard({ wait }: { wait: Waiting; onDecided?: () => void }) {
  return (
    <Paper withBorder p="md">
      <Text>{wait.prompt}</Text>
    </Paper>
  );
}
