// Sends a message. What did not arrive is sent again under the same key, so that it is said once.
import { useMutation, useQueryClient, type UseMutationResult } from '@tanstack/react-query';
import { ApiError } from '#contract/client.ts';
import { type Input, send } from '../../api/client.ts';
import { useRepeatKey } from '../../kit/repeat-key.ts';

export type Saying = Input<'chat', 'send'>['body'];
export interface Sent {
  turn_id: string;
  thread_id: string;
}

const TRIES = 6;

export function useSending(onSent: (sent: Sent) => void): UseMutationResult<Sent, Error, Saying> {
  const queryClient = useQueryClient();
  const key = useRepeatKey();
  return useMutation({
    mutationFn: async (body: Saying) => {
      // What comes of it is in the thread's activity.
      const headers = { 'idempotency-key': key.of(body), prefer: 'wait=0' };
      return sentIn(await send('chat', 'send', { headers, body }, { headers: { accept: 'application/json' } }));
    },
    retry: (count, error) => !(error instanceof ApiError && error.status < 500) && count < TRIES,
    onSuccess: (sent) => {
      key.done();
      void queryClient.invalidateQueries({ queryKey: ['chatThreads', 'list'] });
      onSent(sent);
    },
  });
}

// Safe: without Accept: text/event-stream the route answers TurnOut.
async function sentIn(response: Response): Promise<Sent> {
  return (await response.json()) as Sent;
}
