// The form of a brief. It only finds existing agents and makes a plan; no agent is made yet.
import { Checkbox, NativeSelect, NumberInput, TagsInput } from '@mantine/core';
import { STUDIO_REVIEWS } from '#contract/states.ts';
import { bodyIssues } from '../../form/refused.ts';
import { Failure } from '../../kit/failure.tsx';
import { BriefFields, faultAt } from './brief-fields.tsx';
import type { Draft } from './draft.ts';
import { ModelFields } from './model-fields.tsx';
import { REVIEWS } from './words.ts';

export interface BriefFormProps {
  draft: Draft;
  onChange: (part: Partial<Draft>) => void;
  onSubmit: () => void;
  onCancel: () => void;
  error: Error | null;
  isPending: boolean;
}

export function BriefForm({ draft, onChange, onSubmit, onCancel, error, isPending }: BriefFormProps) {
  const issues = bodyIssues(error);
  return (
    <BriefFields
      title="Create an agent"
      draft={draft}
      onChange={onChange}
      onSubmit={onSubmit}
      onCancel={onCancel}
      submit="See what is best"
      isPending={isPending}
      issues={issues}
      recipeHelp="A recipe writes tested source of one kind, without a language model."
    >
      <TagsInput
        label="Secrets that it needs"
        description="Only names, such as SLACK_WEBHOOK_URL. You set the values later; the studio never sees them."
        value={draft.secrets}
        error={faultAt(issues, 'integrations')}
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
    </BriefFields>
  );
}
