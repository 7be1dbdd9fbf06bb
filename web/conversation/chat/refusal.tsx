// Why a message was not taken: in the API's words, with the character where it stopped to understand.
import { ApiError } from '#contract/client.ts';
import { Alert, Box, Text } from '@mantine/core';
import { explain } from '../../kit/explain.ts';
import { Failure } from '../../kit/failure.tsx';
import type { Fault } from './payload.ts';

export function Refusal({ error }: { error: Error }) {
  const isMistake = whereOf(error) !== undefined;
  return (
    <Box mt="xs">
      {isMistake ? (
        <Alert color="red" role="alert" p="sm" title="The message was not understood">
          <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
            {explain(error).issues[0]?.message}
          </Text>
        </Alert>
      ) : (
        <Failure error={error} />
      )}
    </Box>
  );
}

/** What an event says of an end, as a refusal with its code and remedy. */
export function FaultShown({ of }: { of: Fault }) {
  return <Failure error={new ApiError(0, { ...of })} />;
}

/** The character of a message that was not understood. */
export function whereOf(error: Error | null): number | undefined {
  const [issue] = error instanceof ApiError ? (error.detail.issues ?? []) : [];
  const [where, member, at] = issue?.path ?? [];
  return where === 'body' && member === 'message' && typeof at === 'number' ? at : undefined;
}
