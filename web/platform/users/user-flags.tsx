// Values of feature flags that one account has of its own.
import { Button, NativeSelect, NumberInput, TextInput } from '@mantine/core';
import { useState } from 'react';
import type { Output } from '../../api/client.ts';
import { useRead, useSend } from '../../api/query.ts';
import { List } from '../../kit/list.tsx';
import { Empty, Section } from '../../kit/page.tsx';

type Flag = Output<'admin', 'listFeatureFlags'>['items'][number];
type Value = Flag['default_value'];

export function UserFlags({ userId }: { userId: string }) {
  const params = { user_id: userId };
  const { items } = useRead('admin', 'listFeatureFlags', {});
  const { overrides } = useRead('admin', 'userFeatureFlags', { params });
  const setting = useSend('admin', 'putUserFeatureFlags', { done: 'The values are set.', refresh: ['admin', 'featureFlags'] });
  const set = (key: string, value: Value | undefined): void => {
    const { [key]: _before, ...others } = overrides;
    setting.mutate({ params, body: { overrides: value === undefined ? others : { ...others, [key]: value } } });
  };
  return (
    <Section title="Feature flags" lead="A flag without a value of the account's own has its default.">
      <List
        label="Feature flags"
        pages={items}
        keyOf={({ flag_key: key }) => key}
        empty={<Empty title="This installation has no feature flags." />}
        columns={[
          { head: 'Flag', wide: true, cell: ({ flag_key: key }) => <code>{key}</code> },
          { head: 'Default', cell: ({ default_value: value }) => <code>{String(value)}</code> },
          {
            head: 'Of this account',
            end: true,
            cell: (flag) => (
              <Own key={String(overrides[flag.flag_key])} flag={flag} value={overrides[flag.flag_key]} onSet={(value) => set(flag.flag_key, value)} />
            ),
          },
        ]}
      />
    </Section>
  );
}

function Own({ flag: { flag_key: key, type, choices }, value, onSet }: { flag: Flag; value: Value | undefined; onSet: (value: Value | undefined) => void }) {
  const label = `Value of ${key}`;
  const [text, setText] = useState(value === undefined ? '' : String(value));
  if (type === 'boolean' || type === 'choice') {
    const data = type === 'boolean' ? ['true', 'false'] : (choices ?? []);
    const pick = (picked: string): void => onSet(picked === '' ? undefined : type === 'boolean' ? picked === 'true' : picked);
    return (
      <NativeSelect
        aria-label={label}
        size="xs"
        w={150}
        ml="auto"
        data={[{ value: '', label: 'default' }, ...data]}
        value={value === undefined ? '' : String(value)}
        onChange={({ currentTarget }) => pick(currentTarget.value)}
      />
    );
  }
  const isNumber = type === 'number';
  const wanted = text === '' ? undefined : isNumber ? Number(text) : text;
  return (
    <div style={{ display: 'flex', gap: 6, justifyContent: 'end' }}>
      {isNumber ? (
        <NumberInput aria-label={label} size="xs" w={120} placeholder="default" value={text} onChange={(next) => setText(String(next))} />
      ) : (
        <TextInput aria-label={label} size="xs" w={150} placeholder="default" value={text} onChange={(event) => setText(event.currentTarget.value)} />
      )}
      <Button size="xs" variant="default" disabled={wanted === value} onClick={() => onSet(wanted)}>
        Set
      </Button>
    </div>
  );
}
