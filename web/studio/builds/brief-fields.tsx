// The fields that every brief has, with the form around them; what else is asked stands between.
import { Button, Group, NativeSelect, Stack, Textarea, TextInput } from '@mantine/core';
import type { FormEvent, ReactNode } from 'react';
import { STUDIO_RECIPES, type StudioRecipe } from '#contract/states.ts';
import type { FormIssue } from '../../form/issues.ts';
import { lackOf } from './draft.ts';
import { RECIPES } from './words.ts';

export interface BriefPart {
  name: string;
  goal: string;
  /** Empty: the one that fits best. */
  recipe: StudioRecipe | '';
}

interface BriefFieldsProps {
  title: string;
  draft: BriefPart;
  onChange: (part: Partial<BriefPart>) => void;
  onSubmit: () => void;
  onCancel?: () => void;
  submit: string;
  isPending: boolean;
  issues: readonly FormIssue[];
  goalExample?: string;
  recipeHelp: string;
  children: ReactNode;
}

export function faultAt(issues: readonly FormIssue[], member: string): string | undefined {
  return issues.find(({ path }) => path[0] === member)?.message;
}

export function BriefFields({ title, draft, onChange, onSubmit, onCancel, submit, isPending, issues, goalExample, recipeHelp, children }: BriefFieldsProps) {
  const lack = lackOf(draft);
  const send = (event: FormEvent): void => {
    event.preventDefault();
    if (lack === undefined) onSubmit();
  };
  return (
    <form onSubmit={send} noValidate aria-label={title}>
      <Stack maw={640}>
        <TextInput
          label="Name"
          description="Of the agent: small letters, digits and dashes, such as harbour-watch."
          value={draft.name}
          error={faultAt(issues, 'name')}
          maxLength={63}
          onChange={({ currentTarget }) => onChange({ name: currentTarget.value })}
        />
        <Textarea
          label="Goal"
          description="What the agent is for, in a sentence or two."
          {...(goalExample !== undefined && { placeholder: goalExample })}
          autosize
          minRows={2}
          maxRows={8}
          maxLength={800}
          dir="auto"
          value={draft.goal}
          error={faultAt(issues, 'goal')}
          onChange={({ currentTarget }) => onChange({ goal: currentTarget.value })}
        />
        <NativeSelect
          label="Recipe"
          description={recipeHelp}
          value={draft.recipe}
          error={faultAt(issues, 'recipe')}
          data={[{ value: '', label: 'The one that fits the goal best' }, ...STUDIO_RECIPES.map((value) => ({ value, label: RECIPES[value] }))]}
          onChange={({ currentTarget }) => onChange({ recipe: STUDIO_RECIPES.find((one) => one === currentTarget.value) ?? '' })}
        />
        {children}
        <Group justify="end">
          {onCancel && (
            <Button variant="default" onClick={onCancel}>
              Cancel
            </Button>
          )}
          <Button type="submit" loading={isPending} data-hint={lack} {...(lack !== undefined && { 'data-disabled': true, 'aria-disabled': true })}>
            {submit}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
