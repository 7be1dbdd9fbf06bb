// For which program, which skills and how long: what tokens and links have in common.
import { Button, Group, MultiSelect, NumberInput, Paper, Stack, TextInput } from '@mantine/core';
import { type FormEvent, type ReactNode, useState } from 'react';
import { explain } from '../../kit/explain.ts';
import { Failure } from '../../kit/failure.tsx';

export interface Program {
  label: string;
  scopes: string[] | null;
  expires_in_days: number;
}

export interface ProgramFormProps {
  submit: string;
  skills: readonly string[];
  days: number;
  pending: boolean;
  error: Error | null;
  onSend: (program: Program) => void;
  onCancel: () => void;
  children?: ReactNode;
}

const MOST_DAYS = 365;

export function ProgramForm({ submit, skills, days: usual, pending, error, onSend, onCancel, children }: ProgramFormProps) {
  const [label, setLabel] = useState('');
  const [scopes, setScopes] = useState<string[]>([]);
  const [days, setDays] = useState<number | undefined>();
  const issues = error ? explain(error).issues : [];
  const at = (name: string): string | undefined => issues.find(({ path }) => path[1] === name)?.message;
  const send = (event: FormEvent): void => {
    event.preventDefault();
    onSend({ label: label.trim(), scopes: scopes.length === 0 ? null : scopes, expires_in_days: days ?? usual });
  };
  return (
    <Paper withBorder p="md" mb="md" maw={620}>
      <form onSubmit={send} noValidate>
        <Stack>
          <TextInput
            label="Which program gets it"
            placeholder="nightly report"
            value={label}
            error={at('label')}
            maxLength={100}
            onChange={(event) => setLabel(event.currentTarget.value)}
            autoFocus
          />
          <MultiSelect
            label="Skills that it may call"
            placeholder={scopes.length === 0 ? 'all' : ''}
            data={[...skills]}
            value={scopes}
            onChange={setScopes}
            error={at('scopes')}
            disabled={skills.length === 0}
            searchable
            clearable
          />
          {children}
          <NumberInput
            label="Days that it holds"
            value={days ?? usual}
            min={1}
            max={MOST_DAYS}
            allowDecimal={false}
            error={at('expires_in_days')}
            onChange={(value) => setDays(typeof value === 'number' ? value : undefined)}
            maw={180}
          />
          {error && issues.length === 0 && <Failure error={error} />}
          <Group justify="end">
            <Button variant="default" onClick={onCancel}>
              Cancel
            </Button>
            <Button type="submit" loading={pending} disabled={label.trim() === ''}>
              {submit}
            </Button>
          </Group>
        </Stack>
      </form>
    </Paper>
  );
}
