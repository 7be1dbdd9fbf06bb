import { Stack, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { humanized } from '#contract/wire/wording.ts';
import { useSend } from '../../api/query.ts';
import { bodyIssues } from '../../form/refused.ts';
import { Failure } from '../../kit/failure.tsx';
import { BriefFields } from './brief-fields.tsx';
import { type GuestDraft, guestBriefOf, inputFields } from './guest-draft.ts';

export function GuestForm({ onMade }: { onMade: (token: string) => void }) {
  const [draft, setDraft] = useState<GuestDraft>({ name: '', goal: '', recipe: '', inputs: {} });
  const making = useSend('agentStudio', 'createPublicGuest', { quiet: true, refresh: [], onDone: ({ token }) => onMade(token) });
  const issues = bodyIssues(making.error);
  const fields = inputFields(draft, issues);
  const change = (part: Partial<GuestDraft>): void => setDraft((now) => ({ ...now, ...part }));
  return (
    <BriefFields
      title="Try the studio"
      draft={draft}
      onChange={(part) => change(part.recipe === undefined ? part : { ...part, inputs: {} })}
      onSubmit={() => making.mutate({ body: guestBriefOf(draft) })}
      submit="Write the source"
      isPending={making.isPending}
      issues={issues}
      goalExample="Alert me when the harbour page is down"
      recipeHelp="A recipe writes tested source of one kind."
    >
      {fields.length > 0 && (
        <Stack gap="xs" role="group" aria-label="What the recipe needs">
          <Text size="sm" fw={600}>
            What the recipe needs
          </Text>
          {fields.map(({ key, fault }) => (
            <TextInput
              key={key}
              label={humanized(key)}
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
    </BriefFields>
  );
}
