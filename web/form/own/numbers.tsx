// Numbers as people write them: money in dollars, shares in percent, an hour of the day.
import { NativeSelect, TextInput } from '@mantine/core';
import { useState } from 'react';
import { amount, dollars, microsOf } from '../../kit/dollars.ts';
import { inputProps, useIssue } from '../form-context.ts';
import type { OwnProps } from './own-part.tsx';

/** The input, not what is said of it. */
const NARROW = { wrapper: { maxWidth: '16rem' } };
const MOST_DOLLARS = 999_999_999;

/** What is typed and is no amount stays, and the check says so. @param microsEach of one unit */
export function MoneyView(props: OwnProps & { microsEach: number }) {
  const { field, value, onChange, path, microsEach } = props;
  const read = (text: string): unknown => {
    if (text.trim() === '') return undefined;
    const micros = microsOf(text.replace(/^\$/, ''), MOST_DOLLARS);
    return micros === undefined || micros % microsEach !== 0 ? text : micros / microsEach;
  };
  const write = (units: unknown): string => (typeof units === 'number' ? amount(units * microsEach) : typeof units === 'string' ? units : '');
  const [typed, setTyped] = useState('');
  const shown = typed !== '' && read(typed) === value ? typed : write(value);
  const issue = useIssue(path);
  return (
    <TextInput
      {...inputProps(props, issue === undefined ? undefined : limitsOf(field, microsEach, typeof value === 'string'))}
      inputMode="decimal"
      leftSection="$"
      styles={NARROW}
      placeholder={typeof field.usual === 'number' ? `Default: ${dollars(field.usual * microsEach)}` : '0.00'}
      value={shown}
      onChange={({ currentTarget }) => {
        setTyped(currentTarget.value);
        onChange(read(currentTarget.value));
      }}
    />
  );
}

function limitsOf(field: OwnProps['field'], microsEach: number, isText: boolean): string {
  const { minimum, maximum } = field.schema;
  if (typeof minimum !== 'number' || typeof maximum !== 'number') return 'An amount in dollars, e.g. 2.50';
  const range = `from ${dollars(minimum * microsEach)} to ${dollars(maximum * microsEach)}`;
  return isText && microsEach > 1 ? `An amount ${range}, in whole cents` : `An amount ${range}`;
}

export function PercentView(props: OwnProps) {
  const { field, value, onChange, path } = props;
  const read = (text: string): unknown => {
    const number = Number(text.replace('%', '').trim());
    return text.trim() === '' ? undefined : Number.isFinite(number) ? Math.round(number * 1e6) / 1e8 : text;
  };
  const [typed, setTyped] = useState('');
  const shown = typed !== '' && read(typed) === value ? typed : typeof value === 'number' ? String(Math.round(value * 1e8) / 1e6) : '';
  return (
    <TextInput
      {...inputProps(props, useIssue(path) === undefined ? undefined : 'A number from 0 to 100')}
      inputMode="decimal"
      rightSection="%"
      styles={NARROW}
      placeholder={typeof field.usual === 'number' ? `Default: ${field.usual * 100}` : undefined}
      value={typeof value === 'string' ? value : shown}
      onChange={({ currentTarget }) => {
        setTyped(currentTarget.value);
        onChange(read(currentTarget.value));
      }}
    />
  );
}

const HOURS = Array.from({ length: 24 }, (_, hour) => ({ value: String(hour), label: `${String(hour).padStart(2, '0')}:00` }));

export function HourView(props: OwnProps) {
  const { value, onChange, path, required } = props;
  const data = typeof value === 'number' && required ? HOURS : [{ value: '', label: 'Choose one' }, ...HOURS];
  return (
    <NativeSelect
      {...inputProps(props, useIssue(path))}
      styles={NARROW}
      data={data}
      value={typeof value === 'number' ? String(value) : ''}
      onChange={({ currentTarget }) => onChange(currentTarget.value === '' ? undefined : Number(currentTarget.value))}
    />
  );
}
