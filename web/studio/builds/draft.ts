// A brief as the form has it.
import type { StudioRecipe, StudioReview } from '#contract/states.ts';
import type { Input } from '../../api/client.ts';

export type Brief = Input<'agentStudio', 'resolve'>['body'];

export interface Draft {
  name: string;
  goal: string;
  /** Empty: the one that fits best. */
  recipe: StudioRecipe | '';
  inputs: Record<string, unknown>;
  secrets: string[];
  frontend: boolean;
  review: StudioReview;
  samples: boolean;
  /** A language model of the account writes and mends source. */
  writes: boolean;
  /** Empty: the default one. */
  credential: string;
  dollars: number;
  iterations: number;
}

const EMPTY: Draft = {
  name: '',
  goal: '',
  recipe: '',
  inputs: {},
  secrets: [],
  frontend: false,
  review: 'standard',
  samples: true,
  writes: false,
  credential: '',
  dollars: 5,
  iterations: 3,
};

export const newDraft = (given: Partial<Draft> = {}): Draft => ({ ...EMPTY, ...given });

const LEAST_GOAL = 12;

/** What is missing before it can be sent; undefined: nothing. */
export function lackOf({ name, goal }: Pick<Draft, 'name' | 'goal'>): string | undefined {
  if (name.trim() === '') return 'Give the agent a name.';
  return goal.trim().length < LEAST_GOAL ? `Say the goal in ${LEAST_GOAL} characters or more.` : undefined;
}

/** The same draft is the same brief: a plan is valid for one brief only. */
export function briefOf(draft: Draft): Brief {
  const { recipe, writes, credential } = draft;
  return {
    name: draft.name.trim(),
    goal: draft.goal.trim(),
    inputs: draft.inputs,
    integrations: draft.secrets,
    frontend: draft.frontend,
    review: draft.review,
    account_trial_calls: draft.samples,
    ...(recipe !== '' && { recipe }),
    ...(writes && {
      model: credential === '' ? {} : { credential },
      budget_cents: Math.round(draft.dollars * 100),
      iterations: draft.iterations,
    }),
  };
}
