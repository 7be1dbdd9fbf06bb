// A run of the studio begins: its row, its job and the start of its workflow. Nothing is written or built
// yet.
import { STUDIO_SECONDS, type StudioBrief, type StudioRunIn, type StudioRunOut } from '#contract/studio/studio-brief.ts';
import type { StudioDecision, StudioRecipe } from '#contract/states.ts';
import { MAX_OPEN_STUDIO_RUNS } from '#contract/wire/limits.ts';
import type { StudioPlansRow } from '#db/tables.ts';
import { agentFor } from '../../agents/agent/find.ts';
import { isForkable } from '../../agents/agent/visibility.ts';
import { beginWork, requirePlaces } from '../../jobs/long-work.ts';
import { together } from '../../kernel/act.ts';
import { audit } from '../../kernel/audit.ts';
import type { Ctx, TxCtx } from '../../kernel/ctx.ts';
import { Conflict, NotFound } from '../../kernel/errors.ts';
import { newId } from '../../kernel/ids.ts';
import { requireUser, whereMay } from '../../kernel/policy.ts';
import { storableJson } from '../../kernel/storable.ts';
import { recipeOf } from '../recipe/index.ts';
import { inputsFor } from '../recipe/inputs.ts';
import { readRun } from './read.ts';
import { briefDigest, makePlan } from './resolve.ts';
import { candidatesIn, FIRST_VERSION, STUDIO_KIND, recipesIn, workflowOfStudio } from './row.ts';

/**
 * @throws NotFound studio_plan_not_found, agent_not_found; Conflict studio_plan_expired,
 * studio_brief_changed, studio_use_existing, studio_model_needed, studio_no_recipe, studio_not_forkable,
 * too_many_studio_runs, name_taken, no_model, unpriced_model; Invalid for inputs that the recipe cannot be
 * filled from
 */
export async function startStudioRun(ctx: Ctx, i: StudioRunIn): Promise<StudioRunOut> {
  requireUser(ctx, 'studio.run');
  const plan = i.plan_id === undefined ? await makePlan(ctx, i.brief) : await planFor(ctx, i.plan_id, i.brief);
  if (decided({ ...i, plan }).decision === 'build_new') await tryRecipe(ctx, plan, i.brief);
  const run_id = await together(ctx, (ctx) => addStudioRun(ctx, { ...i, plan }));
  return readRun(ctx, { run_id });
}

/** @throws NotFound studio_plan_not_found; Conflict studio_plan_expired, studio_brief_changed */
async function planFor(ctx: Ctx, planId: string, brief: StudioBrief): Promise<StudioPlansRow> {
  const plan = await ctx.db('studio_plans as p').where('p.plan_id', planId).where(whereMay(ctx.actor, 'studio.run', { owner: 'p.owner_id' })).first('p.*'); // prettier-ignore
  if (!plan) throw new NotFound('studio_plan_not_found', `You have no plan ${planId}: resolve the brief`);
  if (plan.expires_at.getTime() <= ctx.clock())
    throw new Conflict('studio_plan_expired', 'The plan is older than a quarter of an hour: resolve the brief again');
  if (plan.brief_sha256 !== briefDigest(brief))
    throw new Conflict('studio_brief_changed', 'The brief is not the one that the plan was made for: resolve it again');
  return plan;
}

type Wanted = Pick<StudioRunIn, 'brief' | 'decision' | 'agents'> & { plan: StudioPlansRow };

/** In the caller's transaction. Resolves with the run's id. */
export async function addStudioRun(ctx: TxCtx, i: Wanted): Promise<string> {
  const { user_id } = requireUser(ctx, 'studio.run');
  const { brief, plan } = i;
  const { decision, agents } = decided(i);
  await requireParts(ctx, { decision, agents, brief });
  const recipe = decision === 'build_new' ? recipeFor(plan, brief) : null;
  await requirePlaces(ctx.db, { ownerId: user_id, kinds: [STUDIO_KIND], most: MAX_OPEN_STUDIO_RUNS }, full);
  await requireName(ctx, { decision, brief });
  const now = ctx.clock();
  const run_id = newId('std', now);
  const deadline = now + STUDIO_SECONDS * 1000;
  const job_id = await beginWork(ctx, {
    kind: STUDIO_KIND,
    title: `Studio: ${brief.name}`,
    ownerId: user_id,
    workflowId: workflowOfStudio(run_id),
    workflow: { type: 'studioRun', input: (job_id) => ({ job_id, deadline_at: deadline }), kind: 'studio' },
    input: { run_id, name: brief.name, decision, recipe, review: brief.review, budget_cents: brief.budget_cents },
  });
  await ctx.db('studio_runs').insert({
    run_id,
    owner_id: user_id,
    plan_id: plan.plan_id,
    job_id,
    brief: storableJson(brief),
    decision,
    agents,
    recipe,
    model: plan.model,
    state: 'queued',
    deadline_at: new Date(deadline),
    created_at: new Date(now),
  });
  await audit(ctx, 'studio.run', { studio_run: run_id }, { name: brief.name, decision, agents, recipe, model: plan.model });
  return run_id;
}

interface Decided {
  decision: Exclude<StudioDecision, 'use_existing'>;
  agents: string[];
}

/** @throws Conflict studio_use_existing */
function decided({ decision, agents, plan }: Wanted): Decided {
  const wanted = decision ?? plan.decision;
  const of = candidatesIn(plan).find((candidate) => candidate.decision === wanted);
  if (wanted !== 'use_existing') return { decision: wanted, agents: agents ?? of?.agents ?? [] };
  throw new Conflict('studio_use_existing', `${of?.agents[0] ?? 'An agent'} does it: call it, or say with "decision" what else is to be done`);
}

/**
 * @throws Conflict studio_parts_needed, studio_model_needed, studio_not_forkable; NotFound agent_not_found
 */
async function requireParts(ctx: Ctx, { decision, agents, brief }: Decided & { brief: StudioBrief }): Promise<void> {
  if (decision === 'build_new') return;
  if (decision === 'compose' ? agents.length < 2 : agents.length !== 1)
    throw new Conflict('studio_parts_needed', decision === 'compose' ? 'Name two agents or more to compose of' : 'Name the one agent whose source is taken');
  if (decision === 'edit_existing' && brief.model === undefined)
    throw new Conflict('studio_model_needed', 'Source is edited by a language model: name one of the account in the brief, or edit it yourself');
  for (const name of agents) {
    const agent = await agentFor(ctx.db, ctx.actor, decision === 'edit_existing' ? 'agent.deploy' : 'agent.call', name);
    const forkable = agent.owner_id === requireUser(ctx, 'studio.run').user_id || isForkable(agent);
    if (decision === 'fork' && !forkable) throw new Conflict('studio_not_forkable', `The owner of ${name} does not let others take its source`);
  }
}

/**
 * Null: a model writes it without one. @throws Conflict studio_no_recipe; Invalid for inputs that it cannot
 * be filled from
 */
function recipeFor(plan: StudioPlansRow, brief: StudioBrief): StudioRecipe | null {
  const [first] = recipesIn(plan);
  const usable = brief.recipe ?? recipesIn(plan).find(({ missing }) => missing.length === 0)?.recipe;
  if (usable !== undefined) return inputsFor(recipeOf(usable), brief.inputs) && usable;
  if (brief.model !== undefined) return null;
  if (first) inputsFor(recipeOf(first.recipe), brief.inputs);
  throw new Conflict('studio_no_recipe', 'No recipe fits the goal: say it in other words, name a recipe, or a language model that writes it');
}

/**
 * What a recipe cannot be filled from is said at once; only what is fetched is seen later. @throws Invalid
 */
async function tryRecipe(ctx: Ctx, plan: StudioPlansRow, brief: StudioBrief): Promise<void> {
  const recipe = recipeFor(plan, brief);
  if (recipe !== null && brief.inputs.openapi_url === undefined) await recipeOf(recipe).write(ctx, { ...brief, version: FIRST_VERSION });
}

const full = () => new Conflict('too_many_studio_runs', `${MAX_OPEN_STUDIO_RUNS} runs of the studio are under way: wait for one to end, or cancel its job`);

/** What is made new does not replace what is there. @throws Conflict name_taken */
async function requireName({ actor, db }: Ctx, { decision, brief }: { decision: Decided['decision']; brief: StudioBrief }): Promise<void> {
  if (decision === 'edit_existing') return;
  const holder = await db('agents').where({ name: brief.name }).whereNull('deleted_at').first('owner_id');
  const own = holder && actor.kind === 'user' && actor.user_id === holder.owner_id;
  if (own) throw new Conflict('name_taken', `You have an agent ${brief.name} already: choose another name, or the decision edit_existing`);
  if (holder) throw new Conflict('name_taken', `The name ${brief.name} belongs to another account: choose another one`);
}
