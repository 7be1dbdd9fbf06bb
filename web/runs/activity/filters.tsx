// What the list of runs is filtered by.
import { Checkbox, Group, Select, TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { useState } from 'react';
import { RUN_CALLERS } from '#contract/states.ts';
import { amount, microsOf } from '../../kit/dollars.ts';
import { CALLERS, KINDS, SORTS } from '../list/words.ts';
import { type ActivitySearch, JOB_STATES, ORDERS, RANGES } from './activity-search.ts';

interface FiltersProps {
  search: ActivitySearch;
  onChange(next: Partial<ActivitySearch>): void;
}

const SINCE: Record<keyof typeof RANGES, string> = { hour: 'Last hour', day: 'Last 24 hours', week: 'Last 7 days', month: 'Last 30 days' };
const MOST_DOLLARS = 100_000;
const choices = (of: Readonly<Record<string, string>>) => Object.entries(of).map(([value, label]) => ({ value, label }));

export function Filters({ search, onChange }: FiltersProps) {
  const { sort, find, since, kind, state, caller, agent, version, charged, cost, probes } = search;
  const pick = <T extends string>(all: readonly T[], value: string | null): T | undefined => all.find((one) => one === value);
  // Safe: an object's own names are its keys.
  const ranges = Object.keys(RANGES) as (keyof typeof RANGES)[];
  return (
    <Group gap="xs">
      <Text label="Search" placeholder="Agent, skill, title or id" value={find} onChange={(value) => onChange({ find: value })} />
      <Select
        aria-label="Kind of work"
        placeholder="All kinds"
        size="xs"
        clearable
        data={choices(KINDS)}
        value={kind ?? null}
        onChange={(value) => onChange({ kind: value ?? undefined })}
      />
      <Select
        aria-label="State"
        placeholder="All states"
        size="xs"
        clearable
        data={[...JOB_STATES]}
        value={state ?? null}
        onChange={(value) => onChange({ state: pick(JOB_STATES, value) })}
      />
      <Select
        aria-label="Caller"
        placeholder="All callers"
        size="xs"
        clearable
        data={choices(CALLERS)}
        value={caller ?? null}
        onChange={(value) => onChange({ caller: pick(RUN_CALLERS, value) })}
      />
      <Select
        aria-label="Time"
        placeholder="Any time"
        size="xs"
        clearable
        data={choices(SINCE)}
        value={since ?? null}
        onChange={(value) => onChange({ since: pick(ranges, value) })}
      />
      <Text label="Agent" placeholder="Name of an agent" value={agent} onChange={(value) => onChange({ agent: value })} />
      <Text label="Version" placeholder="Version" value={version} onChange={(value) => onChange({ version: value })} />
      <Text
        label="Cost at least, in dollars"
        placeholder="Cost from $"
        value={cost === undefined ? undefined : amount(cost)}
        onChange={(value) => onChange({ cost: (value && microsOf(value.replace('$', ''), MOST_DOLLARS)) || undefined })}
      />
      <Select
        aria-label="Order"
        size="xs"
        allowDeselect={false}
        data={choices(SORTS)}
        value={sort ?? 'newest'}
        onChange={(value) => onChange({ sort: pick(ORDERS, value) })}
      />
      <Checkbox size="xs" label="Charged" checked={charged === true} onChange={(event) => onChange({ charged: event.currentTarget.checked || undefined })} />
      <Checkbox
        size="xs"
        label="Platform checks"
        checked={probes === true}
        onChange={(event) => onChange({ probes: event.currentTarget.checked || undefined })}
      />
    </Group>
  );
}

interface TextProps {
  label: string;
  placeholder: string;
  value: string | undefined;
  onChange(value: string | undefined): void;
}

function Text({ label, placeholder, value = '', onChange }: TextProps) {
  const [text, setText] = useState(value);
  const settle = useDebouncedCallback((next: string) => onChange(next.trim() || undefined), 300);
  return (
    <TextInput
      aria-label={label}
      placeholder={placeholder}
      size="xs"
      value={text}
      onChange={(event) => {
        setText(event.currentTarget.value);
        settle(event.currentTarget.value);
      }}
    />
  );
}
