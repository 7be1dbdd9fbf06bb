// Which recipe a goal means: by the words that they share, and by the inputs that only some recipes take.
import type { StudioRecipe } from '#contract/states.ts';
import { isIn, tellingWords } from '../../agents/search/words.ts';
import { RECIPES } from './index.ts';

/** An input that a recipe knows says more than a word. */
const INPUT_WEIGHT = 2;
/** A fit of one half. */
const HALF = 2;

export interface RecipeChoice {
  recipe: StudioRecipe;
  /** 0: nothing speaks for it; towards 1 the more does. */
  fit: number;
  /** Words of the recipe that the goal has, and names of inputs that it takes. */
  matched: string[];
}

/** Every recipe, best first; equals in the order of the list. */
export function chooseRecipe(goal: string, inputs: Record<string, unknown>): RecipeChoice[] {
  const texts = new Set(tellingWords(goal.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []));
  const given = Object.keys(inputs).filter((name) => inputs[name] !== undefined);
  return RECIPES.map(({ recipe, words, inputs: taken }) => {
    const heard = words.filter((word) => isIn(texts, word));
    const known = given.filter((name) => Object.hasOwn(taken.shape, name));
    const score = heard.length + INPUT_WEIGHT * known.length;
    return { recipe, fit: score / (score + HALF), matched: [...heard, ...known] };
  }).toSorted((a, b) => b.fit - a.fit);
}
