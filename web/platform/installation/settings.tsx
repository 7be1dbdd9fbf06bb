// Limits of the installation, each within its bounds.
import { Button, Group, NumberInput, Text } from '@mantine/core';
import { useState, type FormEvent } from 'react';
import type { Output } from '../../api/client.ts';
import { useRead, useSend } from '../../api/query.ts';
import { List, Under } from '../../kit/list.tsx';
import { Empty } from '../../kit/page.tsx';
import { When } from '../../kit/when.tsx';
import { OperatorPage } from '../operator-page.tsx';
import { number } from '../../kit/number.ts';

type Setting = Output<'admin', 'listSettings'>['items'][number];

export function InstallationSettings() {
  const { items } = useRead('admin', 'listSettings', {});
  return (
    <OperatorPage title="Settings of the installation" lead="Every process follows within seconds, without a restart.">
      <List
        label="Settings"
        pages={items}
        keyOf={({ key }) => key}
        empty={<Empty title="This installation has no settings." />}
        columns={[
          {
            head: 'Setting',
            wide: true,
            cell: ({ key, description }) => (
              <>
                <code>{key}</code>
                <Under>{description}</Under>
              </>
            ),
          },
          { head: 'Changed', cell: ({ updated_at: at }) => (at ? <When at={at} /> : <Text size="sm">never</Text>) },
          { head: 'Value', end: true, cell: (setting) => <Value key={setting.version} of={setting} /> },
        ]}
      />
    </OperatorPage>
  );
}

function Value({ of: { key, value, default_value: standard, minimum, maximum, version } }: { of: Setting }) {
  const [text, setText] = useState<string | number>(value);
  const setting = useSend('admin', 'putSetting', { done: ({ value: now }) => `${key} is ${number(now)}.` });
  const wanted = typeof text === 'number' ? text : Number.NaN;
  const isFitting = Number.isInteger(wanted) && wanted >= minimum && wanted <= maximum;
  const send = (event: FormEvent): void => {
    event.preventDefault();
    if (isFitting && wanted !== value) setting.mutate({ params: { key }, body: { value: wanted, version } });
  };
  return (
    <form onSubmit={send} noValidate>
      <Group gap={6} justify="end" wrap="nowrap" align="start">
        <NumberInput
          aria-label={`Value of ${key}`}
          size="xs"
          w={120}
          value={text}
          min={minimum}
          max={maximum}
          clampBehavior="none"
          allowDecimal={false}
          error={!isFitting}
          onChange={setText}
        />
        <Button type="submit" size="xs" variant="default" loading={setting.isPending} disabled={!isFitting || wanted === value}>
          Set
        </Button>
      </Group>
      <Under>
        {number(minimum)} to {number(maximum)}; default {number(standard)}
      </Under>
    </form>
  );
}
