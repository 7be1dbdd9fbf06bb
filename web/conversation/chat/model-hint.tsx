// What a language model would add, where the account has none.
import { Anchor, Paper, Text } from '@mantine/core';
import { useSuspenseQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { read } from '../../api/query.ts';

/** Whether the account has a model credential. */
export function useHasModel(): boolean {
  return useSuspenseQuery(read('llmCreds', 'list')).data.items.length > 0;
}

export function ModelHint() {
  return (
    <Paper withBorder p="sm">
      <Text size="sm" fw={600} mb={4}>
        No language model is connected
      </Text>
      <Text size="sm">
        Chat works without one: name a skill with its arguments, or say what you need in the words of an agent, and choose among the skills that fit. With a
        model it chooses the skills, plans several steps as it learns their results, asks before calls that reach others, and answers in sentences.{' '}
        <Anchor component={Link} to="/models" underline="always" inherit>
          Connect a model
        </Anchor>
      </Text>
    </Paper>
  );
}
