import { expect, test } from 'vitest';
import { briefOf, lackOf, newDraft } from './draft.ts';

const draft = newDraft({ name: 'harbour-watch ', goal: 'Tell me when the harbour page stops answering' });

test('a name and a goal are enough, and nothing is spent', () => {
  expect(lackOf(newDraft())).toBe('Give the agent a name.');
  expect(lackOf(newDraft({ name: 'x', goal: 'short' }))).toBe('Say the goal in 12 characters or more.');
  expect(lackOf(draft)).toBeUndefined();
  const brief = briefOf(draft);
  expect(brief).toMatchObject({ name: 'harbour-watch', review: 'standard', account_trial_calls: true });
  expect(Object.keys(brief)).not.toContain('model');
  expect(Object.keys(brief)).not.toContain('recipe');
});

test('a language model comes with its budget, and the default one has no name', () => {
  expect(briefOf({ ...draft, writes: true, dollars: 2.5 })).toMatchObject({ model: {}, budget_cents: 250, iterations: 3 });
  expect(briefOf({ ...draft, writes: true, credential: 'main' }).model).toEqual({ credential: 'main' });
});
