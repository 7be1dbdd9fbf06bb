// What is best done about a brief, kept for a quarter of an hour and not changed: a run of the plan takes
// this brief and no other.
import { canonicalSha256 } from '#contract/crypto/sha256.ts';
import { PLAN_SECONDS, type StudioBrief, type StudioCandidate, type StudioPlanOut } from '#contract/studio/studio-brief.ts';
import type { StudioPlansRow } from '#db/tables.ts';
import { together } from '../../kernel/act.ts';
import { audit } from '../../kernel/audit.ts';
import type { Ctx, TxCtx } from '../../kernel/ctx.ts';
import { BadRequest, Conflict } from '../../kernel/errors.ts';
import { newId } from '../../kernel/ids.ts';
import { requireUser } from '../../kernel/policy.ts';
import { storableJson } from '../../kernel/storable.ts';
import { credentialOf, priceOf } from '../../money/llm/credential.ts';
import { recipesFor } from './recipes-for.ts';
import { reusable } from './candidates.ts';
import { candidatesIn, recipesIn } from './row.ts';

const SHOWN_RECIPES = 3;

/** @throws Conflict no_model, unpriced_model; BadRequest brief_not_canonical */
export async function resolveBrief(ctx: Ctx, brief: StudioBrief): Promise<StudioPlanOut> {
  return presentPlan(await makePlan(ctx, brief));
}

export async function makePlan(ctx: Ctx, brief: StudioBrief): Promise<StudioPlansRow> {
  const { user_id } = requireUser(ctx, 'studio.resolve');
  const model = await briefModel(ctx, user_id, brief);
  const recipes = recipesFor(brief);
  const candidates = [...(await reusable(ctx, user_id, brief)), buildNew(brief, recipes, model)];
  return together(ctx, (ctx) => keepPlan(ctx, brief, { candidates, recipes, model }));
}

export interface PlanContent {
  /** Best first; the first one is what is best done. */
  candidates: readonly StudioCandidate[];
  recipes: StudioPlanOut['recipes'];
  model: string | null;
}

/** In the caller's transaction. */
export async function keepPlan(ctx: TxCtx, brief: StudioBrief, { candidates, recipes, model }: PlanContent): Promise<StudioPlansRow> {
  const { user_id } = requireUser(ctx, 'studio.resolve');
  const [best] = candidates;
  if (!best) throw new Error('a plan without a candidate');
  const now = ctx.clock();
  const [row] = await ctx
    .db('studio_plans')
    .insert({
      plan_id: newId('spl', now),
      owner_id: user_id,
      brief: storableJson(brief),
      brief_sha256: briefDigest(brief),
      decision: best.decision,
      reason: best.reason,
      candidates: storableJson(candidates),
      recipes: storableJson(recipes.slice(0, SHOWN_RECIPES)),
      model,
      created_at: new Date(now),
      expires_at: new Date(now + PLAN_SECONDS * 1000),
    })
    .returning('*');
  if (!row) throw new Error('a plan was not written');
  await audit(ctx, 'studio.resolve', { studio_plan: row.plan_id }, { name: brief.name, decision: best.decision });
  return row;
}

/** @throws BadRequest brief_not_canonical */
export function briefDigest(brief: StudioBrief): string {
  try {
    return canonicalSha256(brief);
  } catch (error) {
    throw new BadRequest('brief_not_canonical', `The inputs of the brief cannot be hashed: ${error instanceof Error ? error.message : 'unreadable'}`);
  }
}

/** Undefined where none is wanted. What has no price could not be held to a budget. */
export async function briefModel(ctx: Pick<Ctx, 'db'>, userId: string, { model }: StudioBrief): Promise<string | null> {
  if (model === undefined) return null;
  const credential = await credentialOf(ctx.db, userId, model.credential);
  const name = model.model ?? credential.model;
  if (priceOf(credential, name) === undefined)
    throw new Conflict('unpriced_model', `The run has a budget, and ${name} has no known price: give the credential "${credential.name}" a price`);
  return name;
}

function buildNew(brief: StudioBrief, recipes: StudioPlanOut['recipes'], model: string | null): StudioCandidate {
  const [recipe] = recipes;
  const by = recipe ? `the recipe "${recipe.title}" fits it` : 'no recipe fits it';
  const reason = `${model === null ? '' : `${model} writes it; `}${by}${recipe && recipe.missing.length > 0 ? `, and needs ${recipe.missing.join(', ')}` : ''}`;
  return { decision: 'build_new', agents: [], skills: [], own: true, fit: recipe?.fit ?? 0, inputs_fit: recipe?.missing.length === 0 ? 1 : 0, trust: 0, price_micros: 0, reason }; // prettier-ignore
}

const presentPlan = (row: StudioPlansRow): StudioPlanOut => ({
  plan_id: row.plan_id,
  brief_sha256: row.brief_sha256,
  decision: row.decision,
  reason: row.reason,
  candidates: candidatesIn(row),
  recipes: recipesIn(row),
  model: row.model,
  created_at: row.created_at.toISOString(),
  expires_at: row.expires_at.toISOString(),
});
