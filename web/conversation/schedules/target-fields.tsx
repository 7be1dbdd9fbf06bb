// What runs by the calendar: a skill with its arguments, or a message to the platform.
import { Autocomplete, NativeSelect, SegmentedControl, Skeleton, Stack, Textarea } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useEffect } from 'react';
import { read } from '../../api/query.ts';
import type { FormIssue } from '../../form/schema-form.tsx';
import type { FormValue } from './form-value.ts';

const SchemaForm = lazy(async () => ({ default: (await import('../../form/schema-form.tsx')).SchemaForm }));
const NAME = /^[a-z0-9][a-z0-9-]{0,127}$/;

export interface TargetFieldsProps {
  form: FormValue;
  onChange(change: Partial<FormValue>): void;
  /** Of the body's target. */
  issues: readonly FormIssue[];
}

export function TargetFields({ form, onChange, issues }: TargetFieldsProps) {
  return (
    <Stack gap="sm">
      <SegmentedControl
        aria-label="What runs"
        value={form.kind}
        data={[
          { value: 'skill', label: 'A skill' },
          { value: 'prompt', label: 'A message to the platform' },
        ]}
        onChange={(kind) => onChange({ kind: kind === 'prompt' ? 'prompt' : 'skill' })}
      />
      {form.kind === 'skill' ? (
        <SkillFields form={form} onChange={onChange} issues={issues} />
      ) : (
        <PromptFields form={form} onChange={onChange} issues={issues} />
      )}
    </Stack>
  );
}

function SkillFields({ form: { agent, skill, args }, onChange, issues }: TargetFieldsProps) {
  const [asked] = useDebouncedValue(agent, 150);
  const agents = useQuery({ ...read('agents', 'search', { query: { q: asked, limit: 8 } }), placeholderData: (before) => before });
  const card = useQuery({ ...read('agents', 'get', { params: { name: asked } }), enabled: NAME.test(asked), retry: false });
  const skills = card.data?.card?.skills ?? [];
  const chosen = skills.find(({ id }) => id === skill);
  const only = skills.length === 1 ? skills[0]?.id : undefined;
  useEffect(() => {
    if (only !== undefined && skill === '' && asked === agent) onChange({ skill: only });
  }, [only, skill, asked, agent]);
  const faultAt = (member: string): string | undefined => issues.find(({ path }) => path[0] === member)?.message;
  return (
    <>
      <Autocomplete
        label="Agent"
        value={agent}
        data={(agents.data ?? []).map(({ name }) => name)}
        // The API has searched: also by words that are not in the name.
        filter={({ options }) => options}
        error={faultAt('agent') ?? (card.isError && agent === asked ? 'There is no such agent.' : undefined)}
        onChange={(name) => onChange({ agent: name, skill: '', args: {} })}
      />
      <NativeSelect
        label="Skill"
        value={skill}
        disabled={skills.length === 0}
        data={[{ value: '', label: skills.length === 0 ? 'Name an agent first' : 'Choose one' }, ...skills.map(({ id }) => id)]}
        error={faultAt('skill')}
        onChange={({ currentTarget }) => onChange({ skill: currentTarget.value, args: {} })}
      />
      {chosen && (
        <Suspense fallback={<Skeleton h={80} />}>
          <SchemaForm
            key={`${agent}.${skill}`}
            schema={chosen.input_schema}
            value={args}
            onChange={(value) => onChange({ args: asArguments(value) })}
            issues={issues.filter(({ path }) => path[0] === 'args').map(({ path, message }) => ({ path: path.slice(1), message }))}
          />
        </Suspense>
      )}
    </>
  );
}

function PromptFields({ form: { prompt, threadId }, onChange, issues }: TargetFieldsProps) {
  const threads = useQuery(read('chatThreads', 'list', { query: { limit: 50 } }));
  const known = (threads.data?.items ?? []).map(({ thread_id, title }) => ({ value: thread_id, label: title }));
  const own = { value: '', label: 'A new conversation each time' };
  const unlisted = threadId !== '' && !known.some(({ value }) => value === threadId) ? [{ value: threadId, label: threadId }] : [];
  return (
    <>
      <Textarea
        label="Message"
        description="As in chat: words, or @agent.skill with its arguments."
        autosize
        minRows={3}
        maxRows={10}
        maxLength={10_000}
        dir="auto"
        value={prompt}
        error={issues.find(({ path }) => path[0] === 'prompt')?.message}
        onChange={({ currentTarget }) => onChange({ prompt: currentTarget.value })}
      />
      <NativeSelect
        label="Conversation"
        value={threadId}
        data={[own, ...unlisted, ...known]}
        onChange={({ currentTarget }) => onChange({ threadId: currentTarget.value })}
      />
    </>
  );
}

// Safe: the arguments of a skill are an object; the API holds them against the skill's schema.
function asArguments(value: unknown): Record<string, unknown> {
  return (value ?? {}) as Record<string, unknown>;
}
