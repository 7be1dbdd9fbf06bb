// The events of a challenge's job, as they happen.
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { pathTo } from '#contract/path-to.ts';
import { send } from '../../api/client.ts';
import { type StreamState, useEventStream } from '../../api/stream.ts';

export interface ChallengeEvent {
  seq: number;
  kind: string;
  payload: Record<string, unknown>;
  at: string;
}

/** What is kept on the page. */
const MOST = 500;

export function useChallengeEvents(name: string, job_id: string): { events: ChallengeEvent[]; state: StreamState } {
  const queryClient = useQueryClient();
  const [events, setEvents] = useState<ChallengeEvent[]>([]);
  const { state } = useEventStream(pathTo('GET /v1/me/jobs/{job_id}/events/stream', { job_id }), {
    onEvents(fresh) {
      const read = fresh.map(({ data }) => asEvent(data));
      setEvents((before) => [...before, ...read.filter(({ seq }) => seq > (before.at(-1)?.seq ?? 0))].slice(-MOST));
      if (read.some(({ kind }) => kind === 'finding_emitted' || kind.startsWith('job.'))) {
        void queryClient.invalidateQueries({ queryKey: ['adversarialReviewLoops'] });
        void queryClient.invalidateQueries({ queryKey: ['findings'] });
      }
    },
    isOver: async () => (await send('adversarialReviewLoops', 'get', { params: { name, job_id } })).ended_at !== null,
  });
  return { events, state };
}

// Safe: the stream's events are JobEventOut.
const asEvent = (data: unknown): ChallengeEvent => data as ChallengeEvent;
