// The form of a brief. It only finds existing agents and makes a plan; no agent is made yet.
import { Button, Checkbox, Group, NativeSelect, NumberInput, Stack, TagsInput, Textarea, TextInput } from '@mantine/core';
import type { FormEvent } from 'react';
import { STUDIO_RECIPES, STUDIO_REVIEWS } from '#contract/states.ts';
import { bodyIssues } from '../../form/refused.ts';
import { Failure } from '../../kit/failure.tsx';
import { type Draft, lackOf } from './draft.ts';
import { ModelFields } from './model-fields.tsx';
import { RECIPES, REVIEWS } from './words.ts';

export interface BriefFormProps {
  draft: Draft;
  onChange: (part: Partial<Draft>) => void;
  onSubmit: () => void;
  onCancel: () => void;
  error: Error | null;
  isPending: boolean;
}

export function BriefForm({ draft, onChange, onSubmit, onCancel, error, isPending }: BriefFormProps) {
  const lack = lackOf(draft);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (lack === undefined) onSubmit();
  };
  const faultAt = (member: string): string | undefined => bodyIssues(error).find(({ path }) => path[0] === member)?.message;
  return (
    <form onSubmit={submit} noValidate aria-label="Make an agent">
      <Stack maw={640}>
        <TextInput
          label="Name"
          description="Of the agent: small letters, digits and dashes, such as harbour-watch."
          value={draft.name}
          error={faultAt('name')}
          maxLength={63}
          onChange={({ currentTarget }) => onChange({ name: currentTarget.value })}
        />
        <Textarea
          label="Goal"
          description="What the agent is for, in a sentence or two."
          autosize
          minRows={2}
          maxRows={8}
          maxLength={800}
          dir="auto"
          value={draft.goal}
          error={faultAt('goal')}
          onChange={({ currentTarget }) => onChange({ goal: currentTarget.value })}
        />
        <NativeSelect
          label="Recipe"
          description="A recipe writes tested source of one kind, without a language model."
          value={draft.recipe}
          error={faultAt('recipe')}
          data={[{ value: '', label: 'The one that fits the goal best' }, ...STUDIO_RECIPES.map((value) => ({ value, label: RECIPES[value] }))]}
          onChange={({ currentTarget }) => onChange({ recipe: STUDIO_RECIPES.find((one) => one === currentTarget.value) ?? '' })}
        />
        <TagsInput
          label="Secrets that it needs"
          description="Only names, such as SLACK_WEBHOOK_URL. You set the values later; the studio never sees them."
          value={draft.secrets}
          error={faultAt('integrations')}
          maxTags={10}
          onChange={(secrets) => onChange({ secrets })}
        />
        <Checkbox
          label="With a frontend"
          description="A page in the browser that calls its first skill."
          checked={draft.frontend}
          onChange={({ currentTarget }) => onChange({ frontend: currentTarget.checked })}
        />
        <NativeSelect
          label="Review"
          value={draft.review}
          data={STUDIO_REVIEWS.map((value) => ({ value, label: REVIEWS[value] }))}
          onChange={({ currentTarget }) => onChange({ review: STUDIO_REVIEWS.find((one) => one === currentTarget.value) ?? 'standard' })}
        />
        <Checkbox
          label="Call it with samples once it is live"
          description="In your account, 12 calls at most."
          checked={draft.samples}
          onChange={({ currentTarget }) => onChange({ samples: currentTarget.checked })}
        />
        <ModelFields value={draft} onChange={onChange} least={1} most={30} />
        {draft.writes && (
          <NumberInput
            label="How often it may fix refused source"
            min={0}
            max={5}
            allowDecimal={false}
            value={draft.iterations}
            onChange={(next) => onChange({ iterations: Number(next) || 0 })}
          />
        )}
        {error && <Failure error={error} />}
        <Group justify="end">
          <Button variant="default" onClick={onCancel}>
            Cancel
          </Button>
          <Button type="submit" loading={isPending} data-hint={lack} {...(lack !== undefined && { 'data-disabled': true, 'aria-disabled': true })}>
            See what is best
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
