// Which recipes fit a brief, and what each still needs.
import { z } from 'zod';
import type { StudioBrief, StudioPlanOut } from '#contract/studio/studio-brief.ts';
import { chooseRecipe } from '../recipe/choose.ts';
import { recipeOf } from '../recipe/index.ts';
import { missingFor } from '../recipe/inputs.ts';

/** Below, a recipe is not what the goal says. */
const FITS = 0.5;

/** Best first; only the named one where the brief names one. */
export function recipesFor(brief: Pick<StudioBrief, 'goal' | 'inputs' | 'recipe'>): StudioPlanOut['recipes'] {
  const fitting = chooseRecipe(brief.goal, brief.inputs).filter(({ recipe, fit }) => (brief.recipe === undefined ? fit >= FITS : recipe === brief.recipe));
  return fitting.map(({ recipe, fit }) => {
    const filled = recipeOf(recipe);
    return {
      recipe,
      title: filled.title,
      fit,
      missing: missingFor(filled, brief.inputs),
      inputs: z.toJSONSchema(filled.inputs, { io: 'input' }) as Record<string, unknown>,
    };
  });
}
