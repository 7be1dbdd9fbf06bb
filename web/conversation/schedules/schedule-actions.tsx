import { Group } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useSend } from '../../api/query.ts';
import { Action, AskingAction } from '../../kit/action.tsx';
import type { Schedule } from './form-value.ts';

export function ScheduleActions({ schedule: { schedule_id, title, paused } }: { schedule: Schedule }) {
  const navigate = useNavigate();
  const params = { schedule_id };
  const run = useSend('schedules', 'run', { done: `"${title}" is started.`, refresh: ['schedules', 'workLedger'] });
  const update = useSend('schedules', 'update', { done: ({ paused: now }) => (now ? `"${title}" is paused.` : `"${title}" is resumed.`) });
  const remove = useSend('schedules', 'remove', { done: `"${title}" is deleted.` });
  return (
    <Group gap={6} justify="end" wrap="nowrap">
      <Action label="Run now" size="compact-xs" loading={run.isPending} onAct={() => run.mutate({ params })} />
      <Action
        label={paused ? 'Resume' : 'Pause'}
        size="compact-xs"
        loading={update.isPending}
        onAct={() => update.mutate({ params, body: { paused: !paused } })}
      />
      <Action label="Edit" size="compact-xs" onAct={() => void navigate({ to: '/schedules', search: { edit: schedule_id } })} />
      <AskingAction label="Delete" size="compact-xs" question={`Delete "${title}"?`} loading={remove.isPending} onAct={() => remove.mutate({ params })}>
        It starts no further runs. Runs in progress continue.
      </AskingAction>
    </Group>
  );
}
