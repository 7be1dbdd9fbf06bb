// Texts and numbers. An empty input leaves the value out; an empty text as a value is given in JSON.
import { isExactNumber } from '#contract/wire/exact-json.ts';
import { PasswordInput, Textarea, TextInput } from '@mantine/core';
import { useState, type ChangeEvent } from 'react';
import { useReadersZone } from '../kit/readers-zone.ts';
import { inputProps, placeholderOf, useIssue, type ViewProps } from './form-context.ts';
import { fromLocal, toLocal } from './text-look.ts';

const TYPES = { text: 'text', email: 'email', url: 'url', date: 'date', time: 'text', datetime: 'datetime-local', secret: 'password' } as const;

type Typed = ChangeEvent<HTMLInputElement | HTMLTextAreaElement>;

export function TextView(props: ViewProps<'text'>) {
  const { field, value, onChange, path } = props;
  const common = {
    ...inputProps(props, useIssue(path)),
    placeholder: placeholderOf(field) ?? (field.input === 'time' ? '18:30:00Z' : undefined),
    dir: 'auto',
  };
  const text = typeof value === 'string' ? value : value === undefined || value === null ? '' : JSON.stringify(value);
  const typed = ({ currentTarget }: Typed): void => onChange(currentTarget.value === '' ? undefined : currentTarget.value);
  if (field.input === 'secret') return <PasswordInput {...common} autoComplete="new-password" value={text} onChange={typed} />;
  if (field.multiline || text.includes('\n')) return <Textarea {...common} autosize minRows={3} maxRows={16} value={text} onChange={typed} />;
  // A time that the input cannot hold stays as it is, and is typed as text.
  if (field.input === 'datetime' && (text === '' || toLocal(text) !== '')) return <DateTime {...props} text={text} />;
  const isDate = field.input === 'date' && (text === '' || /^\d{4}-\d\d-\d\d$/.test(text));
  return (
    <TextInput
      {...common}
      type={field.input === 'date' || field.input === 'datetime' ? (isDate ? 'date' : 'text') : TYPES[field.input]}
      value={text}
      onChange={typed}
    />
  );
}

function DateTime({ text, ...props }: ViewProps<'text'> & { text: string }) {
  const zone = useReadersZone();
  const common = inputProps(props, useIssue(props.path));
  const help = [common.description, `In your zone${zone === undefined ? '' : `, ${zone}`}.`].filter(Boolean).join(' ');
  return (
    <TextInput
      {...common}
      description={help}
      type="datetime-local"
      step={1}
      value={toLocal(text)}
      onChange={({ currentTarget }) => props.onChange(fromLocal(currentTarget.value) || undefined)}
    />
  );
}

const NUMBER = /^[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?$/i;

/** What is no number stays as it is typed, and the check says so. */
export function NumberView(props: ViewProps<'number'>) {
  const { field, value, onChange, path } = props;
  const [typed, setTyped] = useState('');
  const shown = numberOf(typed) === value ? typed : value === undefined || value === null ? '' : String(value);
  return (
    <TextInput
      {...inputProps(props, useIssue(path))}
      inputMode={field.integer ? 'numeric' : 'decimal'}
      placeholder={placeholderOf(field) ?? rangeOf(field)}
      value={shown}
      onChange={({ currentTarget }) => {
        setTyped(currentTarget.value);
        onChange(numberOf(currentTarget.value));
      }}
    />
  );
}

function numberOf(text: string): unknown {
  const trimmed = text.trim();
  if (trimmed === '') return undefined;
  return NUMBER.test(trimmed) && isExactNumber(trimmed) ? Number(trimmed) : text;
}

function rangeOf({ min, max, step, integer }: ViewProps<'number'>['field']): string {
  const range = min !== undefined && max !== undefined ? `${min} to ${max}` : min !== undefined ? `${min} or more` : max !== undefined ? `${max} or less` : '';
  const kind = step !== undefined && step !== 1 ? `a multiple of ${step}` : integer ? 'a whole number' : 'a number';
  return range === '' ? kind : `${kind}, ${range}`;
}
