// A new run of a skill, with arguments of another.
import { useNavigate } from '@tanstack/react-router';
import { useSend } from '../../../api/query.ts';
import { newRequestId } from '../../../kit/request-id.ts';

export type Args = Record<string, unknown>;

export function useStart(onStarted?: () => void) {
  const navigate = useNavigate();
  return useSend('agents', 'startRun', {
    done: 'A new run began.',
    refresh: ['workLedger'],
    ...(onStarted && { quiet: true }),
    onDone: ({ run_id }) => {
      onStarted?.();
      void navigate({ to: '/runs/$run_id', params: { run_id } });
    },
  });
}

/** One key for one click: sent twice it is one run. */
export function startOf({ agent, skill }: { agent: string; skill: string }, body: Args) {
  return { params: { name: agent, skill_name: skill }, headers: { 'idempotency-key': newRequestId() }, body };
}
