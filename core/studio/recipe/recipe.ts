// A recipe fills a real, tested agent project from a brief, without a model: goal in, private agent out.
import type { z } from 'zod';
import type { StudioRecipe } from '#contract/states.ts';
import type { ProjectFile } from '../../agents/source/pack.ts';
import type { Ctx } from '../../kernel/ctx.ts';

export interface RecipeBrief {
  name: string;
  goal: string;
  inputs: Readonly<Record<string, unknown>>;
  /** Names of secrets that the agent needs, such as SLACK_WEBHOOK_URL. */
  integrations: readonly string[];
  /** A page with a form for the first skill. */
  frontend: boolean;
  version: string;
}

export interface Trial {
  skill: string;
  args: Record<string, unknown>;
  /** JSON Schema that the result must fit. */
  expect?: Record<string, unknown>;
}

export interface RecipeOutput {
  files: ProjectFile[];
  /** Calls that a finished agent must answer, without effects outside. */
  trials: Trial[];
  /** What the owner still does, as commands or sentences. */
  next: string[];
  /** Asked for by the brief. */
  schedule?: { skill: string; args: Record<string, unknown>; cron: string; time_zone: string };
}

export interface Recipe {
  recipe: StudioRecipe;
  title: string;
  description: string;
  /** Words of a goal that speak for it. */
  words: readonly string[];
  /**
   * Of the brief's inputs, what it is filled from; every field has a description, and a default where one can
   * be given.
   */
  inputs: z.ZodObject;
  /** @throws Invalid for inputs that do not fit, each with its place */
  write(ctx: Ctx, brief: RecipeBrief): Promise<RecipeOutput>;
}
