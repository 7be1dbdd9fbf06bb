// A hundred ideas on a theme, the best first; runs of the studio for three of them, where that is wanted.
import { IDEA_WEIGHTS, type IdeaOut, type IdeasIn, type IdeasOut } from '#contract/studio/ideas.ts';
import type { StudioRunOut } from '#contract/studio/studio-brief.ts';
import type { StudioRecipe } from '#contract/states.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { DomainError } from '../../kernel/errors.ts';
import { requireUser } from '../../kernel/policy.ts';
import { freeNames } from './free-names.ts';
import { marketOf } from './market.ts';
import { RECIPE_NEEDS, type RecipeNeeds } from './recipes.ts';
import { scoreIdeas } from './score.ts';
import { lineOf } from './theme.ts';

/** Starts a run of the studio; asks itself whether the actor may. */
export type StartBuild = (
  ctx: Ctx,
  i: { name: string; goal: string; recipe: StudioRecipe; budget_cents: number; model: IdeasIn['model'] },
) => Promise<StudioRunOut>;

const BUILT = 3;

/** @throws what the first start is refused with; where a later one is refused, the runs are fewer */
export async function makeIdeas(ctx: Ctx, i: IdeasIn, startBuild: StartBuild, needs: RecipeNeeds = RECIPE_NEEDS): Promise<IdeasOut> {
  requireUser(ctx, 'agent.read');
  const scored = scoreIdeas(i.theme, await marketOf(ctx.db, i.theme), needs);
  const names = await freeNames(ctx.db, scored.map(({ name }) => name)); // prettier-ignore
  const items = scored.map((idea) => ({ ...idea, name: names.get(idea.name) ?? idea.name }));
  const runs = i.build_top_three ? await build(ctx, i, items.filter(({ missing }) => missing.length === 0).slice(0, BUILT), startBuild) : []; // prettier-ignore
  return { theme: lineOf(i.theme), weights: { ...IDEA_WEIGHTS }, items, runs };
}

async function build(ctx: Ctx, i: IdeasIn, best: readonly IdeaOut[], startBuild: StartBuild): Promise<StudioRunOut[]> {
  const runs: StudioRunOut[] = [];
  const budget_cents = Math.floor(i.total_budget_cents / BUILT);
  for (const { name, goal, recipe } of best) {
    try {
      runs.push(await startBuild(ctx, { name, goal, recipe, budget_cents, model: i.model }));
    } catch (error) {
      // What has been started stays.
      if (runs.length === 0 || !(error instanceof DomainError)) throw error;
      break;
    }
  }
  return runs;
}
