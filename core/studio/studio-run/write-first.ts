// The first source: filled from a recipe, composed of agents, or taken from the agent that is forked or
// edited.
import { AgentComposeIn } from '#contract/deploys/compose.ts';
import type { StudioBrief } from '#contract/studio/studio-brief.ts';
import type { Insert } from '#db/table-types.ts';
import type { StudioRunsRow } from '#db/tables.ts';
import { composedProject } from '../../deploys/compose/compose.ts';
import { agentFor } from '../../agents/agent/find.ts';
import { isForkable } from '../../agents/agent/visibility.ts';
import { fromSource } from '../../deploys/deployment/accept-generated.ts';
import { ownerOf } from '../../deploys/repository/find.ts';
import type { ProjectFile } from '../../agents/source/pack.ts';
import { readFiles } from '../../agents/source/read-files.ts';
import type { Ctx, UserActor } from '../../kernel/ctx.ts';
import { Conflict } from '../../kernel/errors.ts';
import { storableJson } from '../../kernel/storable.ts';
import { recipeOf } from '../recipe/index.ts';
import type { RecipeOutput } from '../recipe/recipe.ts';
import { blankProject } from './blank-project.ts';
import { withAgentName } from './named.ts';
import type { StudioStep } from './advance.ts';
import { briefIn, FIRST_VERSION, lastIteration } from './row.ts';
import { keepIteration } from './source.ts';
import { move } from './step.ts';

type First = RecipeOutput & { written_by: Insert<'studio_iterations'>['written_by'] };

export const writeFirst: StudioStep = async (ctx, run) => {
  const brief = briefIn(run);
  if (!(await lastIteration(ctx.db, run.run_id))) {
    const owner = await ownerOf(ctx.db, run.owner_id);
    const first = await write({ ...ctx, actor: owner }, run, owner, brief);
    await ctx.db('studio_runs').where({ run_id: run.run_id, state: 'building' }).update({
      trials: storableJson(first.trials),
      next: storableJson(first.next),
      schedule: first.schedule ? storableJson(first.schedule) : null,
    }); // prettier-ignore
    await keepIteration(ctx, run, { number: 0, files: first.files, written_by: first.written_by, message: `Write ${brief.name}: ${brief.goal}` });
  }
  const byModel = brief.model !== undefined;
  await move(ctx.db, run, byModel ? 'improving' : 'evaluating', {
    actor: 'builder',
    status: 'done',
    message: byModel
      ? `The first source is there; ${run.model ?? 'a model'} makes it do the goal`
      : 'The source is there; its build, its types and its tests are checked',
  });
  return 'again';
};

async function write(ctx: Ctx, run: StudioRunsRow, owner: UserActor, brief: StudioBrief): Promise<First> {
  const [from = ''] = run.agents;
  switch (run.decision) {
    case 'build_new': {
      const filled = run.recipe === null ? blankProject(brief) : await recipeOf(run.recipe).write(ctx, { ...brief, version: FIRST_VERSION });
      return { ...filled, written_by: 'recipe' };
    }
    case 'compose':
      return composition(ctx, owner, brief, run.agents);
    case 'fork':
    case 'edit_existing': {
      const files = await sourceOf(ctx, owner, from, run.decision);
      return { files: run.decision === 'fork' ? withAgentName(files, brief.name) : files, trials: [], next: [], written_by: 'copy' };
    }
    case 'use_existing':
      throw new Error('nothing is made of what is used as it is');
  }
}

async function composition(ctx: Ctx, owner: UserActor, brief: StudioBrief, agents: readonly string[]): Promise<First> {
  const manifest = AgentComposeIn.parse({
    name: brief.name,
    description: brief.goal,
    goal: { objective: brief.goal },
    composition: { planning: 'deterministic_dag', sub_agents: agents.map((name) => ({ name })) },
  });
  const { files, required } = await composedProject(ctx, owner, manifest);
  const has = required.every((name) => name in brief.inputs);
  const args = Object.fromEntries(required.map((name) => [name, brief.inputs[name]]));
  return { files, trials: has ? [{ skill: 'run', args }] : [], next: [], written_by: 'composition' };
}

/** Of the live version. @throws NotFound agent_not_found; Conflict studio_no_source */
async function sourceOf(ctx: Ctx, owner: UserActor, name: string, decision: 'fork' | 'edit_existing'): Promise<ProjectFile[]> {
  const agent = await agentFor(ctx.db, owner, decision === 'fork' ? 'agent.call' : 'agent.deploy', name);
  const forkable = agent.owner_id === owner.user_id || isForkable(agent);
  const live = await ctx.db('deployments').where({ deploy_id: agent.live_deploy_id ?? '' }).first('source_key'); // prettier-ignore
  if (!forkable || !live)
    throw new Conflict('studio_no_source', `${name} has no source that can be taken: it is not live, runs elsewhere, or its owner does not let others take it`);
  return fromSource(readFiles(await ctx.drivers.storage.get(live.source_key)));
}
