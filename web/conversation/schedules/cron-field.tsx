// A cron expression while it is typed: what is wrong with it, or its words and its next times.
import { Stack, Text, TextInput } from '@mantine/core';
import { useMemo } from 'react';
import { clockNote } from '#contract/conversation/clock-note.ts';
import { cronFault, DAY_MS, parseCron } from '#contract/conversation/cron.ts';
import { clockChanges, type DueRule, firstDue } from '#contract/conversation/due-times.ts';
import { TimeZoneSelect } from '../../kit/time-zone.tsx';
import { ago } from '../../kit/time.ts';
import { CronWords } from './cron-words.tsx';
import type { FormValue } from './form-value.ts';

export interface CronFieldProps {
  cron: string;
  /** Empty: not known yet. */
  timeZone: string;
  skippedTimes: FormValue['skippedTimes'];
  repeatedTimes: FormValue['repeatedTimes'];
  onCron(cron: string): void;
  onTimeZone(zone: string): void;
  /** What the API refused. */
  faults: { cron: string | undefined; timeZone: string | undefined };
}

const SHOWN = 5;
const CHANGES_AHEAD_MS = 400 * DAY_MS;

export function CronField({ cron, timeZone, skippedTimes, repeatedTimes, onCron, onTimeZone, faults }: CronFieldProps) {
  const fault = cronFault(cron);
  return (
    <Stack gap="sm">
      <TextInput
        label="When"
        description="Minute, hour, day of month, month, day of week: 30 9 * * mon-fri. Also L (last day), 15W (nearest weekday), mon#2 (second Monday), friL (last Friday)."
        value={cron}
        maxLength={200}
        spellCheck={false}
        styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
        error={faults.cron ?? (fault === undefined ? undefined : `This ${fault}.`.replace('This needs', 'It needs').replace('..', '.'))}
        onChange={({ currentTarget }) => onCron(currentTarget.value)}
        data-autofocus
      />
      <TimeZoneSelect value={timeZone} error={faults.timeZone} onChange={onTimeZone} />
      {fault === undefined && timeZone !== '' && <NextTimes cron={cron} rule={{ timeZone, skippedTimes, repeatedTimes }} />}
    </Stack>
  );
}

function NextTimes({ cron, rule: { timeZone, skippedTimes, repeatedTimes } }: { cron: string; rule: Omit<DueRule, 'cron'> }) {
  const now = Date.now();
  const { times, changes } = useMemo(() => {
    const rule = { cron: parseCron(cron), timeZone, skippedTimes, repeatedTimes };
    return { times: firstDue(rule, now + 1, SHOWN), changes: [...clockChanges(rule, now, now + CHANGES_AHEAD_MS)] };
  }, [cron, timeZone, skippedTimes, repeatedTimes]);
  const clock = new Intl.DateTimeFormat('en-GB', { timeZone, dateStyle: 'full', timeStyle: 'short' });
  return (
    <div role="status" aria-label="Next times">
      <Text size="sm" fw={600}>
        <CronWords cron={cron} />
      </Text>
      <ul style={{ margin: 0, paddingInlineStart: '1.2rem' }}>
        {times.map((at) => (
          <li key={at}>
            <Text size="sm" span>
              {clock.format(at)}
            </Text>{' '}
            <Text size="xs" c="dimmed" span>
              {ago(new Date(at).toISOString(), now)}
            </Text>
          </li>
        ))}
      </ul>
      {changes.map((change) => (
        <Text key={change.at} size="sm" mt={4}>
          {clockNote(change, timeZone)}
        </Text>
      ))}
    </div>
  );
}
