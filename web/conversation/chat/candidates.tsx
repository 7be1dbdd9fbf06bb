// Skills that may be meant: each with the form of its arguments, filled with what the message said.
import { Badge, Button, Group, Paper, Skeleton, Stack, Text, UnstyledButton } from '@mantine/core';
import { IconChevronDown, IconChevronRight } from '@tabler/icons-react';
import { lazy, Suspense, useId, useState, type FormEvent } from 'react';
import { explain } from '../../kit/explain.ts';
import type { Candidate } from './payload.ts';
import { Refusal } from './refusal.tsx';
import { useSending } from './use-sending.ts';
import styles from './chat.module.css';

const SchemaForm = lazy(async () => ({ default: (await import('../../form/schema-form.tsx')).SchemaForm }));

export interface CandidatesProps {
  of: readonly Candidate[];
  threadId: string;
  /** The last thing said: the first form is open. */
  isLast: boolean;
}

export function CandidateForms({ of, threadId, isLast }: CandidatesProps) {
  const [open, setOpen] = useState<number | undefined>(isLast ? 0 : undefined);
  return (
    <Stack gap="xs" className={styles.assistant} role="group" aria-label="Skills that may do it">
      {of.map((candidate, at) => (
        <CandidateForm
          key={`${candidate.agent}.${candidate.skill}`}
          of={candidate}
          threadId={threadId}
          isOpen={open === at}
          onOpen={() => setOpen(open === at ? undefined : at)}
          onSent={() => setOpen(undefined)}
        />
      ))}
    </Stack>
  );
}

interface OneProps {
  of: Candidate;
  threadId: string;
  isOpen: boolean;
  onOpen(): void;
  onSent(): void;
}

function CandidateForm({ of, threadId, isOpen, onOpen, onSent }: OneProps) {
  const { agent, skill, description, mine, missing } = of;
  const id = useId();
  const Chevron = isOpen ? IconChevronDown : IconChevronRight;
  return (
    <Paper withBorder p="sm">
      <UnstyledButton onClick={onOpen} aria-expanded={isOpen} aria-controls={id} w="100%">
        <Group gap="xs" wrap="nowrap" align="start">
          <Chevron size={16} style={{ marginBlockStart: 3, flexShrink: 0 }} />
          <div style={{ minWidth: 0 }}>
            <Group gap="xs">
              <Text size="sm" fw={600} style={{ overflowWrap: 'anywhere' }}>
                @{agent}.{skill}
              </Text>
              {mine && (
                <Badge variant="light" color="gray" tt="none" radius="sm">
                  yours
                </Badge>
              )}
            </Group>
            <Text size="xs" c="dimmed" lineClamp={2} dir="auto" style={{ overflowWrap: 'anywhere' }}>
              {description}
              {missing.length > 0 && ` It needs ${missing.join(', ')}.`}
            </Text>
          </div>
        </Group>
      </UnstyledButton>
      <div id={id}>{isOpen && <Filled of={of} threadId={threadId} onSent={onSent} />}</div>
    </Paper>
  );
}

function Filled({ of: { agent, skill, schema, args }, threadId, onSent }: Pick<OneProps, 'of' | 'threadId' | 'onSent'>) {
  const [value, setValue] = useState<unknown>(args);
  const sending = useSending(onSent);
  const send = (event: FormEvent): void => {
    event.preventDefault();
    sending.mutate({ thread_id: threadId, agent, skill, args: asArguments(value) });
  };
  const issues = sending.error ? explain(sending.error).issues.filter(({ path }) => path[0] === 'body' && path[1] === 'args') : [];
  return (
    <form onSubmit={send} noValidate aria-label={`Arguments of ${agent}.${skill}`}>
      <Stack gap="sm" mt="sm">
        <Suspense fallback={<Skeleton h={80} />}>
          <SchemaForm schema={schema} value={value} onChange={setValue} issues={issues.map(({ path, message }) => ({ path: path.slice(2), message }))} />
        </Suspense>
        {sending.error && issues.length === 0 && <Refusal error={sending.error} />}
        <Group justify="end">
          <Button type="submit" size="xs" loading={sending.isPending}>
            Call
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

// Safe: the arguments of a skill are an object; the API holds them against the skill's schema.
function asArguments(value: unknown): Record<string, unknown> {
  return (value ?? {}) as Record<string, unknown>;
}
