// The way to take a grant back before its time: the run that holds it is cancelled, and its grants are revoked with it.
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { send } from '../../api/client.ts';
import { AskingAction } from '../../kit/action.tsx';
import { tell } from '../../kit/toasts.tsx';
import type { GrantRow } from './model.ts';

export function EndRun({ grant: { run_id, audience }, isValid, size }: { grant: GrantRow; isValid: boolean; size?: 'xs' }) {
  const kept = useQueryClient();
  const ending = useMutation({
    mutationFn: cancelRun,
    onSuccess: async () => {
      tell.done('The run is being cancelled; its grants are revoked with it.');
      await kept.invalidateQueries({ queryKey: ['grants'] });
    },
    onError: tell.failed,
  });
  const not = !isValid
    ? 'It is not valid any more.'
    : run_id === null
      ? 'It was given outside of a run. It ends with its time; the API has no call that takes it back before.'
      : undefined;
  return (
    <AskingAction
      label="Cancel the run"
      {...(size && { size })}
      question="Cancel the run that holds this grant?"
      not={not}
      loading={ending.isPending}
      onAct={() => run_id !== null && ending.mutate(run_id)}
    >
      The run of {audience} ends, and every grant that was given in it is revoked. What it staged is not committed.
    </AskingAction>
  );
}

const MOST = 200;

async function cancelRun(runId: string): Promise<void> {
  for (const state of ['running', 'waiting', 'queued'] as const) {
    const { items } = await send('workLedger', 'activity', { query: { kind: 'run', state, limit: MOST } });
    const job = items.find(({ input }) => input.run_id === runId);
    if (job) return void (await send('workLedger', 'cancel', { params: { job_id: job.job_id } }));
  }
  throw new Error('This run has ended, or it is a call that its caller holds: its grants end with it.');
}
