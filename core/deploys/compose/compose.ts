// An agent made of other agents: they are looked at, wired to each other, written as a project, and deployed
// as any upload.
import type { AgentComposeIn, AgentFromComposeOut, Composition, CompositionManifest } from '#contract/deploys/compose.ts';
import type { Ctx, UserActor } from '../../kernel/ctx.ts';
import { Invalid } from '../../kernel/errors.ts';
import { requireUser } from '../../kernel/policy.ts';
import { acceptGenerated } from '../deployment/accept-generated.ts';
import type { ProjectFile } from '../../agents/source/pack.ts';
import { stepsNeeded } from '../composed/project/steps.ts';
import { sourceOf } from './source.ts';
import { findSubAgents, type ResolvedSubAgent } from './sub-agents.ts';
import { wire, type WiredStep } from './wire.ts';

/**
 * @throws Invalid with every mistake of the manifest; Conflict setup_required; PlatformFailed
 * source_not_committed
 */
export async function composeAgent(ctx: Ctx, body: AgentComposeIn): Promise<AgentFromComposeOut> {
  const user = requireUser(ctx, 'agent.deploy');
  const { public: listed, ...rest } = body;
  const manifest = 'manifest' in rest ? rest.manifest : rest;
  const at = 'manifest' in rest ? ['body', 'manifest', 'composition'] : ['body', 'composition'];
  const { files, found, wired } = await projectOf(ctx, user, manifest, at);
  const { name, composition } = manifest;
  const deployed = await acceptGenerated(ctx, { files, message: `Compose ${name}`, public: listed });
  return {
    ...deployed,
    sub_agents: found.map((one, n) => presentSubAgent(one, { wanted: composition.sub_agents[n], steps: wired.steps.filter(({ subAgent }) => subAgent === n) })),
    arguments: [...wired.inputs.keys()],
    files: files.map(({ path }) => path),
  };
}

/**
 * The project, and the arguments of its skill `run`.
 * @throws Invalid with every mistake of the manifest; Conflict setup_required
 */
export async function composedProject(ctx: Ctx, user: UserActor, body: AgentComposeIn): Promise<{ files: ProjectFile[]; required: string[] }> {
  const { files, wired } = await projectOf(ctx, user, 'manifest' in body ? body.manifest : body, []);
  return { files, required: [...wired.inputs.keys()] };
}

async function projectOf(ctx: Ctx, user: UserActor, manifest: CompositionManifest, at: string[]) {
  const { composition, name } = manifest;
  const oneSkill = composition.planning === 'deterministic_dag';
  const subAgents = await findSubAgents(ctx, user, { name, goal: manifest.goal.objective, wanted: composition.sub_agents, oneSkill, at });
  const wired = await wire(subAgents, composition.sub_agents, at);
  requireSteps(composition, wired.steps.length, at);
  const files = await sourceOf({ manifest, wired, version: `0.1.${await deploysOf(ctx, user.user_id, name)}` });
  return { files, found: subAgents, wired };
}

function requireSteps({ planning, max_nodes }: Composition, steps: number, at: readonly string[]): void {
  if (steps === 0) throw new Invalid([{ path: [...at, 'sub_agents'], message: 'none of them can be called now: name one that can' }]);
  if (planning === 'deterministic_dag' && steps > max_nodes)
    throw new Invalid([{ path: [...at, 'max_nodes'], message: `there are ${steps} calls: name fewer skills, or raise max_nodes` }]);
}

/** Counted, so that each composition of the agent has a version of its own. */
async function deploysOf({ db }: Ctx, owner_id: string, name: string): Promise<number> {
  return (await db('agents').where({ owner_id, name }).whereNull('deleted_at').first('deploy_count'))?.deploy_count ?? 0;
}

function presentSubAgent(
  { agent, version, problem }: ResolvedSubAgent,
  { wanted, steps }: { wanted: Composition['sub_agents'][number] | undefined; steps: readonly WiredStep[] },
): AgentFromComposeOut['sub_agents'][number] {
  return {
    agent,
    chosen_by: wanted?.tag === undefined ? 'name' : 'tag',
    version,
    required: wanted?.required ?? true,
    skills: steps.map(({ skill, args }) => ({ skill, arguments: Object.keys(args), needs: stepsNeeded(args) })),
    problem,
  };
}
