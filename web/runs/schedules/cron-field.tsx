// A cron expression while it is typed: what is wrong with it, or its words and its next times.
import { Stack, Text, TextInput } from '@mantine/core';
import { useMemo } from 'react';
import { cronFault, parseCron } from '#contract/runs/cron.ts';
import { TimeZoneSelect } from '../../kit/time-zone.tsx';
import { ago } from '../../kit/time.ts';
import { CronWords } from './cron-words.tsx';
import { nextTimes } from './next-times.ts';

export interface CronFieldProps {
  cron: string;
  /** Empty: not known yet. */
  timeZone: string;
  onCron(cron: string): void;
  onTimeZone(zone: string): void;
  /** What the API refused. */
  faults: { cron: string | undefined; timeZone: string | undefined };
}

const SHOWN = 5;

export function CronField({ cron, timeZone, onCron, onTimeZone, faults }: CronFieldProps) {
  const fault = cronFault(cron);
  return (
    <Stack gap="sm">
      <TextInput
        label="When"
        description="Minute, hour, day of month, month, day of week: 30 9 * * mon-fri"
        value={cron}
        maxLength={200}
        spellCheck={false}
        styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
        error={faults.cron ?? (fault === undefined ? undefined : `This ${fault}.`.replace('This needs', 'It needs').replace('..', '.'))}
        onChange={({ currentTarget }) => onCron(currentTarget.value)}
        data-autofocus
      />
      <TimeZoneSelect value={timeZone} error={faults.timeZone} onChange={onTimeZone} />
      {fault === undefined && timeZone !== '' && <NextTimes cron={cron} timeZone={timeZone} />}
    </Stack>
  );
}

function NextTimes({ cron, timeZone }: { cron: string; timeZone: string }) {
  const now = Date.now();
  const times = useMemo(() => nextTimes(parseCron(cron), timeZone, now, SHOWN), [cron, timeZone]);
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
    </div>
  );
}
