// What deployments do outside the workflow: thin over core/agents/deployment and the runtime driver.
import { randomBytes } from 'node:crypto';
import { activityInfo, ApplicationFailure } from '@temporalio/activity';
import { type CardCheck, checkCard } from '#core/agents/deployment/card.ts';
import { deploymentLog, type DeploymentLog } from '#core/agents/deployment/log.ts';
import { recordCard } from '#core/agents/deployment/record-card.ts';
import { advance, deploymentRow, endDeployment, goLive, type StepOutcome, takeTurn } from '#core/agents/deployment/stages.ts';
import { languageOfSource } from '#core/agents/source/language.ts';
import { drainingInstances, instancesWithRuns, markStopped, prepareInstance, type PreparedInstance } from '#core/agents/deployment/instance.ts';
import type { Ctx } from '#core/kernel/ctx.ts';
import { Conflict, type Fault } from '#core/kernel/errors.ts';
import { newId } from '#core/kernel/ids.ts';
import type { AgentCard } from '#contract/wire/card.ts';
import { type Manifest, parseManifest } from '#contract/wire/manifest.ts';
import type { StartOutput } from '#drivers/runtime/port.ts';
import { longRunning, userError } from './long-running.ts';

export interface DeployDeps extends Omit<Ctx, 'actor' | 'requestId'> {
  /** Name of this host; `runtime:<node>` is its task queue. */
  node: string;
  /** On all hosts together; default 1. */
  buildsAtOnce?: number;
}

export type DeployActivities = ReturnType<typeof createDeployActivities>;

export function createDeployActivities(deps: DeployDeps) {
  const platform = (): Ctx => ({ ...deps, actor: { kind: 'platform', service: 'worker' }, requestId: newId('req', deps.clock()) });

  return {
    takeTurn: (deployId: string): Promise<StepOutcome | 'wait'> => takeTurn(platform(), deployId, deps.buildsAtOnce),

    async buildImage(deployId: string): Promise<{ node: string }> {
      const ctx = platform();
      const row = await deploymentRow(ctx.db, deployId);
      if (row.image) {
        // Built in an earlier attempt, or a restart of what is live.
        await advance(ctx, deployId, 'building', 'starting');
        return { node: deps.node };
      }
      const log = deploymentLog(ctx, row.job_id);
      if (activityInfo().attempt > 1) log.platform('The build was interrupted and starts again');
      await withLog(log, async (signal) => {
        const manifest = parseManifest(row.manifest);
        const { entrypoint, frontend } = manifest;
        const language = (await languageOfSource(await ctx.drivers.storage.get(row.source_key), entrypoint)) ?? 'typescript';
        const source = await ctx.drivers.storage.get(row.source_key);
        const built = await ctx.drivers.runtime.build({ build_id: deployId, tenant: row.created_by, source, language, entrypoint, frontend }, log.line, signal);
        log.platform(`Built ${built.image.slice(0, 19)} (${built.size_bytes} bytes${built.cached ? ', dependencies from the cache' : ''})`);
        const card = built.card === undefined ? {} : { card: JSON.stringify(builtCard(built.card, manifest)) };
        const outcome = await advance(ctx, deployId, 'building', 'starting', { image: built.image, image_bytes: built.size_bytes, ...card });
        if (outcome === 'ended') throw userError('cancelled', 'The deployment was cancelled while it was built');
      });
      return { node: deps.node };
    },

    /** Starts the instance with what the card asks for, and checks the card. Idempotent: one instance a deployment. */
    async startInstance(deployId: string): Promise<{ instance_id: string }> {
      const ctx = platform();
      const row = await deploymentRow(ctx.db, deployId);
      const log = deploymentLog(ctx, row.job_id);
      const prepared = await prepareInstance(ctx, row, deps.node, randomBytes(32).toString('base64url')).catch(unlessEnded);
      await withLog(log, async (signal) => {
        const check = await startAndCheck(ctx, prepared, log, signal);
        for (const warning of await recordCard(ctx, row, check)) log.platform(`Warning: ${warning.message}`);
        const outcome = await advance(ctx, deployId, 'starting', 'verifying');
        if (outcome === 'ended') throw userError('cancelled', 'The deployment was cancelled while it started');
      });
      return { instance_id: prepared.start.instance_id };
    },

    async switchRoute(deployId: string, instanceId: string): Promise<StepOutcome> {
      const ctx = platform();
      const row = await deploymentRow(ctx.db, deployId);
      return goLive(ctx, deployId, instanceId, checkCard(row.card, parseManifest(row.manifest)).card);
    },

    endDeployment: (deployId: string, state: 'failed' | 'cancelled', fault: Fault): Promise<void> => endDeployment(platform(), deployId, state, fault),

    /** Instances of this deployment's agent that no longer serve, on this host. */
    async stopDraining(deployId: string): Promise<void> {
      const { agent_id, job_id } = await deploymentRow(deps.db, deployId);
      const needed = await instancesWithRuns(deps.db, agent_id);
      await stopInstances((await drainingInstances(deps.db, { agent_id })).filter((id) => !needed.has(id)));
      const open = [...needed.values()].reduce((sum, count) => sum + count, 0);
      if (open === 0) return;
      const log = deploymentLog(platform(), job_id);
      log.platform(`The version before has ${open} open ${open === 1 ? 'run' : 'runs'}: its machine stays until they are over`);
      await log.close();
    },

    async stopDrainingEverywhere(deployId: string): Promise<void> {
      await stopInstances(await drainingInstances(deps.db, { deploy_id: deployId }));
    },

    async stopAgent(agentId: string): Promise<void> {
      await stopInstances(await drainingInstances(deps.db, { agent_id: agentId }));
    },
  };

  async function stopInstances(ids: string[]): Promise<void> {
    for (const id of ids) {
      await deps.drivers.runtime.stop(id);
      await markStopped(deps.db, id);
    }
  }

  /** The card comes from the running agent, its limits are in the card: when it was started with others, it starts again with them. */
  async function startAndCheck(ctx: Ctx, prepared: PreparedInstance, log: DeploymentLog, signal: AbortSignal): Promise<CardCheck> {
    const first = await readCard(await ctx.drivers.runtime.start(prepared.start, log.line, signal), prepared);
    if (!first.differs) return first;
    log.platform(`Starting again with the resources of the card: ${first.resources.memory_mib} MiB, ${first.resources.cpu_millis}m`);
    await ctx.drivers.runtime.stop(prepared.start.instance_id);
    return readCard(await ctx.drivers.runtime.start({ ...prepared.start, resources: first.resources, egress: first.egress }, log.line, signal), prepared);
  }

  async function readCard(started: StartOutput, { manifest, start }: PreparedInstance): Promise<CardCheck> {
    await deps.db('instances').where({ instance_id: started.instance_id }).update({ runtime: started.runtime });
    const check = checkCard(started.card, manifest, start);
    if (check.fault) throw userError(check.fault.code, check.fault.message);
    return check;
  }
}

/** What the build read, checked like a served one: a fault ends the deployment before a machine is started for it. */
function builtCard(value: unknown, manifest: Manifest): AgentCard {
  const { card, fault } = checkCard(value, manifest);
  if (fault) throw userError(fault.code, fault.message);
  return card;
}

/** No retry brings back a deployment that ended. */
function unlessEnded(error: unknown): never {
  throw error instanceof Conflict ? userError('cancelled', error.message) : error;
}

/** The log of a step is stored whatever becomes of the step, and tells its end. */
async function withLog(log: DeploymentLog, work: (signal: AbortSignal) => Promise<void>): Promise<void> {
  try {
    await longRunning(work);
  } catch (error) {
    // What is final is told by the deployment's own end.
    if (error instanceof ApplicationFailure && error.type !== 'UserError') log.platform(error.message);
    throw error;
  } finally {
    await log.close();
  }
}
