// What can be done about a run.
import { AskingAction } from '../../../kit/action.tsx';
import { useSend } from '../../../api/query.ts';
import type { ShownRun } from '../use-run.ts';
import { Again } from './again.tsx';
import { CopyAs } from './copy-as.tsx';
import { Thumbs } from './thumbs.tsx';

export function RunActions({ runId, shown }: { runId: string; shown: ShownRun }) {
  const { run, isOver } = shown;
  const cancelling = useSend('workLedger', 'cancel', { done: 'The run is being cancelled.', refresh: ['workLedger', 'agents', 'traces'] });
  const jobId = run?.job_id ?? null;
  return (
    <>
      {!isOver && (
        <AskingAction
          label="Cancel the run"
          size="xs"
          question="Cancel this run?"
          loading={cancelling.isPending}
          not={jobId === null && 'Only its caller can end a plain call.'}
          onAct={() => jobId !== null && cancelling.mutate({ params: { job_id: jobId } })}
        >
          The skill is notified to stop, its grants are revoked, and its staged changes are rejected.
        </AskingAction>
      )}
      <Again runId={runId} agent={shown.agent} skill={shown.skill} />
      <CopyAs runId={runId} agent={shown.agent} skill={shown.skill} />
      {isOver && <Thumbs runId={runId} agent={shown.agent} />}
    </>
  );
}
