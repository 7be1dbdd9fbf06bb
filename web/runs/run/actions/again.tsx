// The same skill again, with the same arguments or with others.
import { lazy, Suspense, useState } from 'react';
import { Action } from '../../../kit/action.tsx';
import { useRunInput } from '../use-run.ts';
import { startOf, useStart } from './start.ts';

const EditAgain = lazy(async () => ({ default: (await import('./edit-again.tsx')).EditAgain }));

interface AgainProps {
  runId: string;
  agent: string;
  skill: string;
}

export function Again({ runId, agent, skill }: AgainProps) {
  const { data: input } = useRunInput(runId);
  const [isEditing, setEditing] = useState(false);
  const starting = useStart();
  const args = input?.args;
  const not = input && !args && 'Its arguments are not kept, so they cannot be sent again.';
  return (
    <>
      <Action label="Run again" size="xs" not={not} loading={starting.isPending} onAct={() => args && starting.mutate(startOf({ agent, skill }, args))} />
      <Action label="Edit and run again" size="xs" onAct={() => setEditing(true)} />
      <Suspense>{isEditing && <EditAgain agent={agent} skill={skill} initial={args ?? {}} onClose={() => setEditing(false)} />}</Suspense>
    </>
  );
}
