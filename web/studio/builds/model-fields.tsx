// Which language model of the account writes, and for how much at most.
import { Group, NativeSelect, NumberInput, Switch, Text } from '@mantine/core';
import { useRead } from '../../api/query.ts';
import { PageLink } from '../../kit/page-link.tsx';

export interface ModelValue {
  writes: boolean;
  /** Empty: the default one. */
  credential: string;
  dollars: number;
}

export interface ModelFieldsProps {
  value: ModelValue;
  onChange: (part: Partial<ModelValue>) => void;
  /** Dollars. */
  least: number;
  most: number;
  label?: string;
  description?: string;
  /** Said where the account has none. */
  without?: string;
}

export function ModelFields({
  value,
  onChange,
  least,
  most,
  label,
  description,
  without = 'Without a language model nothing is spent: a recipe writes the source.',
}: ModelFieldsProps) {
  const { items } = useRead('llmCreds', 'list', {});
  const { writes, credential, dollars } = value;
  if (items.length === 0)
    return (
      <Text size="sm" c="dimmed">
        {without}{' '}
        <PageLink to="/models" inherit underline="always">
          Add a language model
        </PageLink>
      </Text>
    );
  return (
    <>
      <Switch
        label={label ?? 'A language model of mine writes and fixes the source'}
        description={description ?? 'Off: a recipe writes it, and nothing is spent.'}
        checked={writes}
        onChange={({ currentTarget }) => onChange({ writes: currentTarget.checked })}
      />
      {writes && (
        <Group grow align="start">
          <NativeSelect
            label="Language model"
            value={credential}
            data={[{ value: '', label: 'The default one' }, ...items.map(({ name, model }) => ({ value: name, label: `${name} (${model})` }))]}
            onChange={({ currentTarget }) => onChange({ credential: currentTarget.value })}
          />
          <NumberInput
            label="Most that it may cost"
            prefix="$"
            min={least}
            max={most}
            decimalScale={2}
            value={dollars}
            onChange={(next) => onChange({ dollars: typeof next === 'number' ? next : least })}
          />
        </Group>
      )}
    </>
  );
}
