import { Button, Group, NativeSelect, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { useState, type FormEvent } from 'react';
import { STUDIO_RECIPES } from '#contract/states.ts';
import { useSend } from '../../api/query.ts';
import { bodyIssues } from '../../form/refused.ts';
import { Failure } from '../../kit/failure.tsx';
import { lackOf } from './draft.ts';
import { type GuestDraft, guestBriefOf, inputFields } from './guest-draft.ts';
import { RECIPES } from './words.ts';

export function GuestForm({ onMade }: { onMade: (token: string) => void }) {
  const [draft, setDraft] = useState<GuestDraft>({ name: '', goal: '', recipe: '', inputs: {} });
  const making = useSend('agentStudio', 'createPublicGuest', { quiet: true, refresh: [], onDone: ({ token }) => onMade(token) });
  const issues = bodyIssues(making.error);
  const fields = inputFields(draft, issues);
  const change = (part: Partial<GuestDraft>): void => setDraft((now) => ({ ...now, ...part }));
  const faultAt = (member: string): string | undefined => issues.find(({ path }) => path[0] === member)?.message;
  const lack = lackOf(draft);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (lack === undefined) making.mutate({ body: guestBriefOf(draft) });
  };
  return (
    <form onSubmit={submit} noValidate aria-label="Try the studio">
      <Stack maw={640}>
        <TextInput
          label="Name"
          description="Of the agent: small letters, digits and dashes, such as harbour-watch."
          value={draft.name}
          error={faultAt('name')}
          maxLength={63}
          onChange={({ currentTarget }) => change({ name: currentTarget.value })}
        />
        <Textarea
          label="Goal"
          description="What the agent is for, in a sentence or two."
          placeholder="Alert me when the harbour page is down"
          autosize
          minRows={2}
          maxRows={8}
          maxLength={800}
          dir="auto"
          value={draft.goal}
          error={faultAt('goal')}
          onChange={({ currentTarget }) => change({ goal: currentTarget.value })}
        />
        <NativeSelect
          label="Recipe"
          description="A recipe writes tested source of one kind."
          value={draft.recipe}
          error={faultAt('recipe')}
          data={[{ value: '', label: 'The one that fits the goal best' }, ...STUDIO_RECIPES.map((value) => ({ value, label: RECIPES[value] }))]}
          onChange={({ currentTarget }) => change({ recipe: STUDIO_RECIPES.find((one) => one === currentTarget.value) ?? '', inputs: {} })}
        />
        {fields.length > 0 && (
          <Stack gap="xs" role="group" aria-label="What the recipe needs">
            <Text size="sm" fw={600}>
              What the recipe needs
            </Text>
            {fields.map(({ key, fault }) => (
              <TextInput
                key={key}
                label={key}
                value={draft.inputs[key] ?? ''}
                error={fault}
                dir="auto"
                onChange={({ currentTarget }) => change({ inputs: { ...draft.inputs, [key]: currentTarget.value } })}
              />
            ))}
            <Text size="xs" c="dimmed">
              A list or an object is written as JSON.
            </Text>
          </Stack>
        )}
        {making.error && issues.length === 0 && <Failure error={making.error} />}
        <Group justify="end">
          <Button type="submit" loading={making.isPending} data-hint={lack} {...(lack !== undefined && { 'data-disabled': true, 'aria-disabled': true })}>
            Write the source
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
