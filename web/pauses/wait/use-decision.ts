import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useRef } from 'react';
import { newRequestId } from '../../kit/request-id.ts';
import { type Decision, type Outcome, sendDecision } from './decision.ts';
import type { Waiting } from './waiting.ts';

/** Groups whose answers a decision makes out of date. */
const CHANGED = ['inbox', 'workLedger', 'agents', 'traces', 'chat', 'dagRuns', 'grants'];

export interface Deciding {
  decide(decision: Decision): void;
  outcome: Outcome | undefined;
  error: Error | null;
  isSending: boolean;
}

export function useDecision(wait: Waiting, onDecided?: () => void): Deciding {
  const queryClient = useQueryClient();
  // The same decision sent again by hand is still the same one; another one gets an id of its own.
  const ids = useRef(new Map<string, string>());
  const sending = useMutation({
    mutationFn: (decision: Decision) => {
      const key = JSON.stringify(decision);
      const id = ids.current.get(key) ?? newRequestId();
      ids.current.set(key, id);
      return sendDecision(wait, decision, id);
    },
    onSuccess: () => {
      onDecided?.();
      for (const group of CHANGED) void queryClient.invalidateQueries({ queryKey: [group] });
    },
  });
  return { decide: sending.mutate, outcome: sending.data, error: sending.error, isSending: sending.isPending };
}
