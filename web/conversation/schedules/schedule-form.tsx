// A new schedule, or one that is changed.
import { Button, Group, NativeSelect, NumberInput, Stack, Switch, TextInput } from '@mantine/core';
import { useState, type FormEvent } from 'react';
import { SCHEDULE_OVERLAPS, SCHEDULE_REPEATED_TIMES, SCHEDULE_SKIPPED_TIMES } from '#contract/states.ts';
import { useSend } from '../../api/query.ts';
import { explain } from '../../kit/explain.ts';
import { Failure } from '../../kit/failure.tsx';
import { useReadersZone, zoneOfReader } from '../../kit/readers-zone.ts';
import { CronField } from './cron-field.tsx';
import { bodyOf, formOf, lackOf, newForm, OVERLAP_WORDS, REPEATED_WORDS, SKIPPED_WORDS, type FormValue, type Schedule } from './form-value.ts';
import { TargetFields } from './target-fields.tsx';

interface ScheduleFormProps {
  schedule: Schedule | undefined;
  /** Whose skill a new one calls. */
  agent?: string | undefined;
  onClose(): void;
}

export function ScheduleForm({ schedule, agent = '', onClose }: ScheduleFormProps) {
  const [typed, setForm] = useState<FormValue>(() => (schedule ? formOf(schedule) : { ...newForm(''), agent }));
  const readersZone = useReadersZone();
  const form = { ...typed, timeZone: typed.timeZone || (readersZone ?? '') };
  const change = (part: Partial<FormValue>): void => setForm((now) => ({ ...now, ...part }));
  const create = useSend('schedules', 'create', { quiet: true, done: ({ title }) => `"${title}" created.`, onDone: onClose });
  const update = useSend('schedules', 'update', { quiet: true, done: 'Changed.', onDone: onClose });
  const sending = schedule ? update : create;
  const lack = lackOf(form);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (lack !== undefined) return;
    // It may be sent before the frame in which the reader's zone is shown.
    const body = bodyOf({ ...form, timeZone: form.timeZone || zoneOfReader() });
    if (schedule) update.mutate({ params: { schedule_id: schedule.schedule_id }, body });
    else create.mutate({ body });
  };
  const issues = sending.error
    ? explain(sending.error)
        .issues.filter(({ path }) => path[0] === 'body')
        .map(({ path, message }) => ({ path: path.slice(1), message }))
    : [];
  const faultAt = (member: string): string | undefined => issues.find(({ path }) => path[0] === member)?.message;
  return (
    <form onSubmit={submit} noValidate aria-label={schedule ? 'Change the schedule' : 'New schedule'}>
      <Stack>
        <CronField
          cron={form.cron}
          timeZone={form.timeZone}
          skippedTimes={form.skippedTimes}
          repeatedTimes={form.repeatedTimes}
          onCron={(cron) => change({ cron })}
          onTimeZone={(timeZone) => change({ timeZone })}
          faults={{ cron: faultAt('cron'), timeZone: faultAt('time_zone') }}
        />
        <TargetFields
          form={form}
          onChange={change}
          issues={issues.filter(({ path }) => path[0] === 'target').map(({ path, message }) => ({ path: path.slice(1), message }))}
        />
        <TextInput
          label="Title"
          description="Default: the name of what runs."
          maxLength={200}
          dir="auto"
          value={form.title}
          error={faultAt('title')}
          onChange={({ currentTarget }) => change({ title: currentTarget.value })}
        />
        <NativeSelect
          label="If the previous run is still running"
          value={form.overlap}
          data={SCHEDULE_OVERLAPS.map((value) => ({ value, label: OVERLAP_WORDS[value] }))}
          onChange={({ currentTarget }) => change({ overlap: SCHEDULE_OVERLAPS.find((one) => one === currentTarget.value) ?? 'skip' })}
        />
        <Group grow align="start">
          <NativeSelect
            label="Times that the clock skips"
            description="When it is set forward, as to summer time."
            value={form.skippedTimes}
            data={SCHEDULE_SKIPPED_TIMES.map((value) => ({ value, label: SKIPPED_WORDS[value] }))}
            onChange={({ currentTarget }) => change({ skippedTimes: SCHEDULE_SKIPPED_TIMES.find((one) => one === currentTarget.value) ?? 'run_after' })}
          />
          <NativeSelect
            label="Times that the clock shows twice"
            description="When it is set back."
            value={form.repeatedTimes}
            data={SCHEDULE_REPEATED_TIMES.map((value) => ({ value, label: REPEATED_WORDS[value] }))}
            onChange={({ currentTarget }) => change({ repeatedTimes: SCHEDULE_REPEATED_TIMES.find((one) => one === currentTarget.value) ?? 'once' })}
          />
        </Group>
        <Group grow align="start">
          <NumberInput
            label="Catch up within"
            description="Seconds after a time that was missed because the platform was down."
            min={10}
            max={31_536_000}
            value={form.catchup}
            error={faultAt('catchup_window_seconds')}
            onChange={(value) => change({ catchup: Number(value) || 0 })}
          />
          <NumberInput
            label="Spread over"
            description="Each time is moved on by up to this many seconds."
            min={0}
            max={3600}
            value={form.jitter}
            error={faultAt('jitter_seconds')}
            onChange={(value) => change({ jitter: Number(value) || 0 })}
          />
        </Group>
        <Switch
          label="Pause it when a run fails"
          checked={form.pauseOnFailure}
          onChange={({ currentTarget }) => change({ pauseOnFailure: currentTarget.checked })}
        />
        {sending.error && issues.length === 0 && <Failure error={sending.error} />}
        <Group justify="end">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={sending.isPending} data-hint={lack} {...(lack !== undefined && { 'data-disabled': true, 'aria-disabled': true })}>
            {schedule ? 'Change schedule' : 'Create schedule'}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
