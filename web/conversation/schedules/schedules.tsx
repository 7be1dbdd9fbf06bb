// What runs by the calendar: when it comes next, how it went last, and what can be done to it.
import { Anchor, Box, Button, Group, Stack, Text } from '@mantine/core';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { lazy, Suspense } from 'react';
import { wireClockNote } from '#contract/conversation/clock-note.ts';
import { usePages } from '../../api/query.ts';
import { List, Under, type Column } from '../../kit/list.tsx';
import { Empty, Loading, Page } from '../../kit/page.tsx';
import { State } from '../../kit/state.tsx';
import { When } from '../../kit/when.tsx';
import { CronWords } from './cron-words.tsx';
import type { Schedule } from './form-value.ts';
import { ButtonLink } from '../../kit/page-link.tsx';
import { ScheduleActions } from './schedule-actions.tsx';

const ScheduleForm = lazy(async () => ({ default: (await import('./schedule-form.tsx')).ScheduleForm }));
const route = getRouteApi('/schedules');

const COLUMNS: Column<Schedule>[] = [
  { head: 'Schedule', wide: true, cell: (schedule) => <Named of={schedule} /> },
  { head: 'Next', cell: (schedule) => <Next of={schedule} /> },
  { head: 'Last run', cell: (schedule) => <Last of={schedule} /> },
  { head: 'Actions', end: true, cell: (schedule) => <ScheduleActions schedule={schedule} /> },
];

export function Schedules() {
  const { edit, agent } = route.useSearch();
  const navigate = useNavigate();
  const pages = usePages('schedules', 'list', { query: { limit: 50 } }, { every: 15_000 });
  const edited = pages.items.find(({ schedule_id }) => schedule_id === edit);
  const close = (): void => void navigate({ to: '/schedules', search: {} });
  if (edit === 'new' || edited)
    return (
      <Page title={edited ? 'Change the schedule' : 'New schedule'} crumbs={[{ label: 'Schedules', to: '/schedules' }]}>
        <Box maw={640}>
          <Suspense fallback={<Loading />}>
            <ScheduleForm key={edit} schedule={edited} agent={agent} onClose={close} />
          </Suspense>
        </Box>
      </Page>
    );
  return (
    <Page
      title="Schedules"
      lead="Skills, and messages to the platform, that run by the calendar."
      actions={<Button onClick={() => void navigate({ to: '/schedules', search: { edit: 'new' } })}>New schedule</Button>}
    >
      <List
        label="Schedules"
        pages={pages}
        columns={COLUMNS}
        keyOf={({ schedule_id }) => schedule_id}
        empty={
          <Empty
            title="No schedules yet."
            action={
              <ButtonLink to="/schedules" search={{ edit: 'new' }} variant="light">
                Create a schedule
              </ButtonLink>
            }
            command={'svc schedules create "0 9 * * mon-fri" AGENT TOOL'}
          >
            Or create one here, with "New schedule".
          </Empty>
        }
      />
    </Page>
  );
}

function Named({ of: { title, cron, time_zone, clock_changes, target } }: { of: Schedule }) {
  return (
    <Stack gap={2}>
      <Text size="sm" fw={600} dir="auto" style={{ overflowWrap: 'anywhere' }}>
        {title}
      </Text>
      <Under>
        <CronWords cron={cron} />, {time_zone} (<code>{cron}</code>)
      </Under>
      {clock_changes.map((change) => (
        <Under key={change.at}>{wireClockNote(change, time_zone)}</Under>
      ))}
      <Under>
        {target.kind === 'skill' ? (
          <>
            Calls{' '}
            <Anchor component={Link} to={`/agents/${encodeURIComponent(target.agent)}`} inherit underline="always">
              {target.agent}.{target.skill}
            </Anchor>
          </>
        ) : (
          <>Sends "{target.prompt.length > 120 ? `${target.prompt.slice(0, 119)}…` : target.prompt}"</>
        )}
      </Under>
    </Stack>
  );
}

const NEXT = 3;

function Next({ of: { paused, paused_by, next_times, in_effect, sync_error } }: { of: Schedule }) {
  if (paused) return <State of="paused" label={paused_by === 'failure' ? 'paused after a failure' : 'paused'} />;
  return (
    <Stack gap={2}>
      {next_times === null ? (
        <Under>The scheduler does not answer at the moment</Under>
      ) : next_times.length === 0 ? (
        'never'
      ) : (
        next_times.slice(0, NEXT).map((at, index) =>
          index === 0 ? (
            <When key={at} at={at} />
          ) : (
            <Under key={at}>
              then <When at={at} />
            </Under>
          ),
        )
      )}
      {!in_effect && <Under>{sync_error === null ? 'The last change is being applied' : `The last change is not in effect: ${sync_error}`}</Under>}
    </Stack>
  );
}

function Last({ of: { last_run, last_error, failures_in_a_row } }: { of: Schedule }) {
  if (!last_run) return <Under>No runs yet</Under>;
  return (
    <Stack gap={2}>
      <Group gap="xs">
        <State of={last_run.state} />
        {last_run.run_id !== null && (
          <Anchor component={Link} to={`/runs/${last_run.run_id}`} size="sm">
            Run
          </Anchor>
        )}
      </Group>
      <Under>
        <When at={last_run.due_at} />
      </Under>
      {last_error && (
        <Under>
          {failures_in_a_row > 1 && `${failures_in_a_row} times in a row: `}
          {last_error.message} (<code>{last_error.code}</code>)
        </Under>
      )}
    </Stack>
  );
}
