// Whether and when the agents of the account are looked at.
import { Button, Group, NativeSelect, Paper, Stack, Switch } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import type { Output } from '../../api/client.ts';
import { useSend } from '../../api/query.ts';
import { Failure } from '../../kit/failure.tsx';
import { TimeZoneSelect } from '../../kit/time-zone.tsx';

const HOURS = Array.from({ length: 24 }, (_, hour) => ({ value: String(hour), label: `${String(hour).padStart(2, '0')}:00` }));

export function AutopilotSettings({ of, onClose }: { of: Output<'agentStudio', 'autopilot'>; onClose: () => void }) {
  const [enabled, setEnabled] = useState(of.enabled);
  const [hour, setHour] = useState(of.daily_hour);
  const [zone, setZone] = useState(of.time_zone);
  const save = useSend('agentStudio', 'setAutopilot', { quiet: true, done: 'Saved.', onDone: onClose });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    save.mutate({ body: { enabled, daily_hour: hour, time_zone: zone } });
  };
  return (
    <Paper withBorder p="md" maw={480} component="form" onSubmit={submit} aria-label="Settings">
      <Stack gap="sm">
        <Switch
          label="Look at my agents each day"
          description="It changes nothing: it proposes."
          checked={enabled}
          onChange={({ currentTarget }) => setEnabled(currentTarget.checked)}
        />
        <Group grow align="start">
          <NativeSelect label="From" value={String(hour)} data={HOURS} onChange={({ currentTarget }) => setHour(Number(currentTarget.value))} />
          <TimeZoneSelect value={zone} onChange={setZone} />
        </Group>
        {save.error && <Failure error={save.error} />}
        <Group justify="end">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={save.isPending}>
            Save
          </Button>
        </Group>
      </Stack>
    </Paper>
  );
}
