// The recipes that fit a goal, what each still needs, and the form that fills one.
import { Box, Button, Group, Text } from '@mantine/core';
import { useState } from 'react';
import type { Output } from '../../api/client.ts';
import { bodyIssues } from '../../form/refused.ts';
import type { FormIssue } from '../../form/issues.ts';
import { CheckedForm } from '../../form/lazy.tsx';
import { Failure } from '../../kit/failure.tsx';
import { List, Under, type Column } from '../../kit/list.tsx';
import { Section } from '../../kit/page.tsx';
import { State } from '../../kit/state.tsx';
import type { Draft } from './draft.ts';
import { percent } from './words.ts';

type Recipe = Output<'agentStudio', 'resolve'>['recipes'][number];

export interface RecipeSectionProps {
  plan: Output<'agentStudio', 'resolve'>;
  draft: Draft;
  /** Of resolving again, or of the start. */
  error: Error | null;
  isPending: boolean;
  onResolve: (draft: Draft) => void;
}

export function RecipeSection({ plan: { recipes }, draft, error, isPending, onResolve }: RecipeSectionProps) {
  const [chosen, setFilled] = useState<Recipe | undefined>(() => (recipes.some(({ missing }) => missing.length === 0) ? undefined : recipes[0]));
  // What was refused is shown at its fields.
  const filled = chosen ?? (inputIssues(error).length > 0 ? (recipes.find(({ missing }) => missing.length === 0) ?? recipes[0]) : undefined);
  const columns: Column<Recipe>[] = [
    {
      head: 'Recipe',
      wide: true,
      cell: ({ title, missing }) => (
        <>
          <Text size="sm" fw={600}>
            {title}
          </Text>
          <Under>{missing.length === 0 ? 'It has all that it needs.' : `It still needs: ${missing.join(', ')}.`}</Under>
        </>
      ),
    },
    { head: 'State', cell: ({ missing }) => <State of={missing.length === 0 ? 'ready' : 'missing'} label={missing.length === 0 ? 'ready' : 'needs input'} /> },
    { head: 'Fit', end: true, cell: ({ fit }) => percent(fit) },
    {
      head: 'Fill in',
      end: true,
      cell: (recipe) => (
        <Button size="xs" variant="default" onClick={() => setFilled(recipe)}>
          Fill in
        </Button>
      ),
    },
  ];
  return (
    <>
      <Section title="Recipes" lead="A recipe writes tested source of one kind from what you fill in. Used where a new agent is built.">
        <List label="Recipes" pages={recipes} columns={columns} keyOf={({ recipe }) => recipe} empty={<Text c="dimmed">No recipe fits the goal.</Text>} />
      </Section>
      {filled && <Fill key={filled.recipe} recipe={filled} draft={draft} error={error} isPending={isPending} onResolve={onResolve} />}
    </>
  );
}

const inputIssues = (error: Error | null): FormIssue[] =>
  bodyIssues(error).flatMap(({ path, message }) => (path[0] === 'inputs' ? [{ path: path.slice(1), message }] : []));

function Fill({ recipe: { recipe, title, inputs }, draft, error, isPending, onResolve }: Omit<RecipeSectionProps, 'plan'> & { recipe: Recipe }) {
  const [value, setValue] = useState<unknown>(draft.inputs);
  const issues = inputIssues(error);
  return (
    <Section title={`Fill in ${title}`}>
      <Box maw={640}>
        <CheckedForm
          schema={inputs}
          value={value}
          onChange={setValue}
          // Safe: the schema of a recipe is an object.
          onSubmit={(given) => onResolve({ ...draft, recipe, inputs: given as Record<string, unknown> })}
          issues={issues}
          disabled={isPending}
          label={`Fill in ${title}`}
        >
          {error && issues.length === 0 && <Failure error={error} />}
          <Group justify="end">
            <Button type="submit" loading={isPending}>
              Use this
            </Button>
          </Group>
        </CheckedForm>
      </Box>
    </Section>
  );
}
