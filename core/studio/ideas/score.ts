// A hundred ideas on a theme, scored. Pure: the same theme, with the same on the platform, gives the same.
import { IDEA_WEIGHTS, type IdeaOut, type IdeaPart } from '#contract/studio/ideas.ts';
import { STUDIO_RECIPES, type StudioRecipe } from '#contract/states.ts';
import { type Audience, AUDIENCES, KINDS, RECIPE_NEEDS, type RecipeKind, type RecipeNeeds } from './recipes.ts';
import { formsOf, lineOf, ideaSlug, wordsOfTheme } from './theme.ts';

/** What the platform has of a theme together with a kind of agent, or with a group of people. */
export interface Supply {
  /** Live public agents; counted up to MOST_MATCHES. */
  agents: number;
  /** Of those agents. */
  calls: number;
  /** Open ones. */
  bounties: number;
}

export interface Market {
  recipes: ReadonlyMap<StudioRecipe, Supply>;
  /** By word of the audience. */
  audiences: ReadonlyMap<string, Supply>;
}

/** From so many agents on there is no gap left. */
export const MOST_MATCHES = 20;
/** So many calls count like one bounty. */
const CALLS_OF_A_BOUNTY = 1_000;
const OF_AN_INPUT = 0.25;
const OF_A_SECRET = 0.15;
const SUITS = { yes: 1, no: 0.4 } as const;
/** The theme has a word of this kind, of none, of another kind. */
const SPEAKS = { forIt: 1, forNone: 0.5, forOther: 0.2 } as const;

const NOTHING: Supply = { agents: 0, calls: 0, bounties: 0 };

export function scoreIdeas(theme: string, market: Market, needs: RecipeNeeds = RECIPE_NEEDS): IdeaOut[] {
  const themeWords = new Set(wordsOfTheme(theme).flatMap(formsOf));
  const speaking = new Set(STUDIO_RECIPES.filter((recipe) => KINDS[recipe].words.some((word) => themeWords.has(word))));
  const ideas = STUDIO_RECIPES.flatMap((recipe) =>
    AUDIENCES.map((audience) => {
      const supply = { recipe: market.recipes.get(recipe) ?? NOTHING, audience: market.audiences.get(audience.word) ?? NOTHING };
      const parts = {
        demand: demandOf(KINDS[recipe], supply.recipe),
        fit: fitOf(recipe, audience, speaking),
        feasibility: rounded(1 - needs[recipe].length * OF_AN_INPUT - KINDS[recipe].secrets * OF_A_SECRET),
        gap: rounded(1 - 0.7 * share(supply.recipe.agents) - 0.3 * share(supply.audience.agents)),
        cost: rounded(KINDS[recipe].cheap),
      };
      return ideaOf({ theme, recipe, audience, parts, missing: [...needs[recipe]], supply: supply.recipe });
    }),
  );
  return ideas.toSorted((a, b) => b.score - a.score || (a.name < b.name ? -1 : 1)).map((idea, at) => ({ ...idea, rank: at + 1 }));
}

/** What is known of the theme raises it from what is thought of the kind. */
function demandOf({ prior }: RecipeKind, { bounties, calls }: Supply): number {
  const known = 1 - 1 / (1 + bounties + calls / CALLS_OF_A_BOUNTY);
  return rounded(prior + (1 - prior) * known);
}

function fitOf(recipe: StudioRecipe, audience: Audience, speaking: ReadonlySet<StudioRecipe>): number {
  const suits = audience.suits.includes(recipe) ? SUITS.yes : SUITS.no;
  const speaks = speaking.has(recipe) ? SPEAKS.forIt : speaking.size === 0 ? SPEAKS.forNone : SPEAKS.forOther;
  return rounded(0.6 * suits + 0.4 * speaks);
}

const share = (agents: number): number => Math.min(agents, MOST_MATCHES) / MOST_MATCHES;
const rounded = (part: number): number => Math.round(Math.min(1, Math.max(0, part)) * 1_000) / 1_000;

interface Made {
  theme: string;
  recipe: StudioRecipe;
  audience: Audience;
  parts: Record<IdeaPart, number>;
  missing: string[];
  supply: Supply;
}

function ideaOf({ theme, recipe, audience, parts, missing, supply }: Made): IdeaOut {
  const { word, title, does } = KINDS[recipe];
  const line = lineOf(theme) || 'anything';
  const score = PARTS.reduce((sum, part) => sum + IDEA_WEIGHTS[part] * parts[part], 0);
  return {
    rank: 1,
    name: `${ideaSlug(theme)}-${word}-${audience.word}`,
    title: `${title} for ${audience.title}: ${line}`,
    goal: `An agent for ${audience.title} that should ${does}. It is about ${line}.`,
    audience: audience.title,
    recipe,
    score: Math.round(score * 100) / 100,
    parts,
    reason: reasonOf(parts, supply, missing),
    missing,
  };
}

// Safe: the keys of the weights are the parts.
const PARTS = Object.keys(IDEA_WEIGHTS) as IdeaPart[];

function reasonOf(parts: Record<IdeaPart, number>, { agents, bounties }: Supply, missing: readonly string[]): string {
  const ordered = PARTS.toSorted((a, b) => parts[b] - parts[a]);
  const [best, worst] = [ordered[0] ?? 'fit', ordered.at(-1) ?? 'fit'];
  const others = agents === 0 ? 'No public agent matches' : `${agents >= MOST_MATCHES ? `${MOST_MATCHES} or more` : agents} public agents match`;
  const bountyText = bounties === 0 ? '' : `, open bounties that ask for it: ${bounties}`;
  return `Best at ${best}, worst at ${worst}. ${others}${bountyText}.${missing.length === 0 ? '' : ` You have to give ${missing.join(', ')}.`}`;
}
