// A deployment that is not live yet: what it waits for, and the way to end it.
import { Alert, Group } from '@mantine/core';
import { IconClock } from '@tabler/icons-react';
import { useSend } from '../../api/query.ts';
import { AskingAction } from '../../kit/action.tsx';
import type { DeploymentOf } from './list.tsx';

/** @param waiting its place in the line of builds: "2nd in line, about 40 s" */
export function UnderWay({ one: { job_id, number, waits_for }, waiting }: { one: DeploymentOf; waiting: string | undefined }) {
  const cancelling = useSend('workLedger', 'cancel', { done: 'The deployment is being cancelled.', refresh: ['agents', 'workLedger'] });
  const cancel = (
    <AskingAction
      label="Cancel"
      size="xs"
      question={`Cancel deployment ${number}?`}
      loading={cancelling.isPending}
      onAct={() => cancelling.mutate({ params: { job_id } })}
    >
      What serves now stays as it is.
    </AskingAction>
  );
  if (waits_for === null && waiting === undefined) return <Group>{cancel}</Group>;
  return (
    <Alert color="orange" icon={<IconClock size={18} />} title={waits_for ?? `Waiting for a builder: ${waiting}`}>
      <Group>{cancel}</Group>
    </Alert>
  );
}
