// The steps of a run as they happen. With each the run is read again.
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { pathTo } from '#contract/path-to.ts';
import { send } from '../../api/client.ts';
import { type StreamState, useEventStream } from '../../api/stream.ts';
import { stepOf } from './words.ts';

export interface ShownStep {
  seq: number;
  at: string;
  who: string;
  message: string;
  refused: boolean;
}

/** What is kept on the page. */
const MOST = 300;

export function useSteps(run_id: string): { steps: ShownStep[]; state: StreamState } {
  const queryClient = useQueryClient();
  const [steps, setSteps] = useState<ShownStep[]>([]);
  const { state } = useEventStream(pathTo('GET /v1/agents/studio/runs/{run_id}/stream', { run_id }), {
    onEvents(fresh) {
      const read = fresh.flatMap(({ data }) => shownOf(data));
      setSteps((before) => [...before, ...read.filter(({ seq }) => seq > (before.at(-1)?.seq ?? 0))].slice(-MOST));
      void queryClient.invalidateQueries({ queryKey: ['agentStudio', 'get'] });
    },
    isOver: async () => (await send('agentStudio', 'get', { params: { run_id } })).ended_at !== null,
  });
  return { steps, state };
}

function shownOf(data: unknown): ShownStep[] {
  // Safe: the stream's events are JobEventOut.
  const { seq, at, kind, payload } = data as { seq: number; at: string; kind: string; payload: Record<string, unknown> };
  const step = stepOf(kind, payload);
  return step ? [{ seq, at, ...step }] : [];
}
