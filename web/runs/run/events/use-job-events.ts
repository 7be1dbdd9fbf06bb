import { useQueryClient } from '@tanstack/react-query';
import { useMemo, useReducer } from 'react';
import { pathTo } from '#contract/path-to.ts';
import { send } from '../../../api/client.ts';
import { type StreamState, useEventStream } from '../../../api/stream.ts';
import { EventLog, type JobEvent } from './log.ts';

export interface JobEvents {
  log: EventLog;
  state: StreamState;
  error: Error | undefined;
}

/**
 * All events of a job, and new ones as they come. `onNews`: other data of the job are out of date. null: it
 * has none.
 */
export function useJobEvents(jobId: string | null, onNews: (events: JobEvent[]) => void): JobEvents {
  const queryClient = useQueryClient();
  const [, redraw] = useReducer((count: number) => count + 1, 0);
  const log = useMemo(() => new EventLog(), [jobId]);
  const url = jobId === null ? null : pathTo('GET /v1/me/jobs/{job_id}/events/stream', { job_id: jobId });
  const { state, error } = useEventStream(url, {
    onEvents: (batch) => {
      const added = log.add(batch);
      if (added.length === 0) return;
      redraw();
      onNews(added);
    },
    // An API that stops ends its streams, too: it is over when the job has ended and its last event was seen.
    isOver: async () => {
      if (jobId === null) return true;
      const job = await send('workLedger', 'get', { params: { job_id: jobId } });
      void queryClient.invalidateQueries({ queryKey: ['workLedger', 'get'] });
      return job.events === 'removed' || (job.ended_at !== null && log.last >= job.last_seq);
    },
  });
  return { log, state, error };
}
