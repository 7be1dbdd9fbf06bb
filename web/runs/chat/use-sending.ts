// Sends a message. What did not arrive is sent again under the same key, so that it is said once.
import { useMutation, useQueryClient, type UseMutationResult } from '@tanstack/react-query';
import { useRef } from 'react';
import { ApiError } from '#contract/client.ts';
import { type Input, send } from '../../api/client.ts';

export type Saying = Input<'chat', 'send'>['body'];
export interface Sent {
  turn_id: string;
  thread_id: string;
}

const TRIES = 6;

export function useSending(onSent: (sent: Sent) => void): UseMutationResult<Sent, Error, Saying> {
  const kept = useQueryClient();
  const last = useRef({ said: '', key: '' });
  return useMutation({
    mutationFn: async (body: Saying) => {
      const said = JSON.stringify(body);
      // The same words again after a failure are the same message; after an answer they are new.
      if (last.current.said !== said) last.current = { said, key: newKey() };
      // What comes of it is in the thread's activity.
      const headers = { 'idempotency-key': last.current.key, prefer: 'wait=0' };
      return sentIn(await send('chat', 'send', { headers, body }, { headers: { accept: 'application/json' } }));
    },
    retry: (count, error) => !(error instanceof ApiError && error.status < 500) && count < TRIES,
    onSuccess: (sent) => {
      last.current = { said: '', key: '' };
      void kept.invalidateQueries({ queryKey: ['chatThreads', 'list'] });
      onSent(sent);
    },
  });
}

// Safe: without Accept: text/event-stream the route answers TurnOut.
async function sentIn(response: Response): Promise<Sent> {
  return (await response.json()) as Sent;
}

/** Also where the page came over plain http, which has no randomUUID. */
function newKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
}
