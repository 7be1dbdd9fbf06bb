// A span of time: a number and its unit.
import { Group, Input, NativeSelect, TextInput } from '@mantine/core';
import { useId, useState } from 'react';
import { inputProps, useIssue } from '../form-context.ts';
import type { OwnProps } from './own-part.tsx';
import { inUnit, spanOf, spanWords, type Unit, unitOf, UNITS } from './spans.ts';

/** @param perSecond units of the value in a second */
export function DurationView(props: OwnProps & { perSecond: number }) {
  const { field, value, onChange, path, label, disabled, perSecond } = props;
  const id = useId();
  const known = typeof value === 'number' ? value : typeof field.usual === 'number' ? field.usual : undefined;
  const [unit, setUnit] = useState<Unit>(() => (known === undefined ? 'minutes' : unitOf(known / perSecond)));
  const [typed, setTyped] = useState('');
  const shown =
    typed !== '' && spanOf(typed, unit, perSecond) === value
      ? typed
      : typeof value === 'number'
        ? inUnit(value, unit, perSecond)
        : typeof value === 'string'
          ? value
          : '';
  const issue = useIssue(path);
  const { label: _, description, withAsterisk, error, ...input } = inputProps(props, issue === undefined ? undefined : limitsOf(field.schema, perSecond));
  return (
    <Input.Wrapper id={id} label={label} description={description} withAsterisk={withAsterisk} error={error}>
      <Group gap="xs" wrap="nowrap" maw="18rem" mt={description === undefined ? 0 : 5}>
        <TextInput
          {...input}
          id={id}
          error={error !== undefined}
          inputMode="decimal"
          style={{ flex: 1, minWidth: 0 }}
          placeholder={typeof field.usual === 'number' ? `Default: ${spanWords(field.usual / perSecond)}` : undefined}
          value={shown}
          onChange={({ currentTarget }) => {
            setTyped(currentTarget.value);
            onChange(spanOf(currentTarget.value, unit, perSecond));
          }}
        />
        <NativeSelect
          aria-label={`Unit of ${label}`}
          disabled={disabled}
          data={UNITS.map(({ word, label }) => ({ value: word, label }))}
          value={unit}
          onChange={({ currentTarget }) => {
            const next = UNITS.find(({ word }) => word === currentTarget.value)?.word ?? 'seconds';
            setUnit(next);
            if (shown !== '') onChange(spanOf(shown, next, perSecond));
          }}
        />
      </Group>
    </Input.Wrapper>
  );
}

function limitsOf({ minimum, exclusiveMinimum, maximum }: Record<string, unknown>, perSecond: number): string {
  const least = typeof minimum === 'number' ? minimum : typeof exclusiveMinimum === 'number' ? exclusiveMinimum + 1 : 0;
  const words =
    typeof maximum === 'number' && maximum < Number.MAX_SAFE_INTEGER ? `From ${spanWords(least / perSecond)} to ${spanWords(maximum / perSecond)}` : undefined;
  return words ?? 'A number';
}
