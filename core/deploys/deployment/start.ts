// Starts the instance of a deployment with what its card asks for, checks the card, and moves it from
// starting to verifying.
import { randomBytes } from 'node:crypto';
import { RuntimeError, type StartOutput } from '#drivers/runtime/port.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { Conflict } from '../../kernel/errors.ts';
import { awaitDatabases } from '../../agents/database/open.ts';
import { requireSameCard } from './require-same-card.ts';
import { type CardCheck, checkCard } from './card.ts';
import { DeploymentFault, ImageMissing } from '../../agents/agent/deployment-fault.ts';
import { forgetImage } from './image-nodes.ts';
import { prepareInstance, type PreparedInstance } from './instance.ts';
import { type DeploymentLog, withDeploymentLog } from './log.ts';
import { recordCard } from './record-card.ts';
import { advance, deploymentRow, loseImage } from './stages.ts';

/**
 * Idempotent: one instance a deployment. @throws DeploymentFault; ImageMissing, when it is to be placed anew;
 * RuntimeError of the host
 */
export async function startDeployment(ctx: Ctx, deployId: string, { node, signal }: { node: string; signal: AbortSignal }): Promise<{ instance_id: string }> {
  const row = await deploymentRow(ctx.db, deployId);
  await awaitDatabases(ctx, row.agent_id, signal);
  const prepared = await prepareInstance(ctx, row, node, randomBytes(32).toString('base64url')).catch((error: unknown): never => {
    throw error instanceof Conflict ? new DeploymentFault('cancelled', error.message) : error;
  });
  await withDeploymentLog(ctx, row.job_id, signal, async (log) => {
    const check = await startAndCheck(ctx, prepared, log, signal).catch(async (error: unknown): Promise<never> => {
      throw error instanceof RuntimeError && error.code === 'not_found' ? await imageMissing(ctx, deployId, prepared.start.image, node) : error;
    });
    for (const warning of await recordCard(ctx, row, check)) log.platform(`Warning: ${warning.message}`);
    await requireSameCard(ctx, row, check.card);
    const outcome = await advance(ctx, deployId, 'starting', 'verifying');
    if (outcome === 'ended') throw new DeploymentFault('cancelled', 'The deployment was cancelled while it started');
  });
  return { instance_id: prepared.start.instance_id };
}

/** Where no other host has it, it is built again. */
async function imageMissing(ctx: Ctx, deployId: string, image: string, node: string): Promise<Error> {
  if ((await forgetImage(ctx.db, image, node)) === 0 && (await loseImage(ctx, deployId, image)) === 'ended') {
    return new DeploymentFault('cancelled', 'The deployment was cancelled while it started');
  }
  return new ImageMissing(image, node);
}

/**
 * The card comes from the running agent and contains its limits: an instance that was started with others is
 * started again.
 */
async function startAndCheck(ctx: Ctx, prepared: PreparedInstance, log: DeploymentLog, signal: AbortSignal): Promise<CardCheck> {
  const { runtime } = ctx.drivers;
  const first = await readCard(ctx, await runtime.start(prepared.start, log.line, signal), prepared);
  if (!first.differs) return first;
  log.platform(`Starting again with the resources of the card: ${first.resources.memory_mib} MiB, ${first.resources.cpu_millis}m`);
  await runtime.stop(prepared.start.instance_id);
  return readCard(
    ctx,
    await runtime.start({ ...prepared.start, resources: first.resources, egress: { ...prepared.start.egress, ...first.egress } }, log.line, signal),
    prepared,
  );
}

async function readCard({ db }: Ctx, started: StartOutput, { manifest, start }: PreparedInstance): Promise<CardCheck> {
  await db('instances').where({ instance_id: started.instance_id }).update({ runtime: started.runtime });
  const check = checkCard(started.card, manifest, start);
  if (check.fault) throw new DeploymentFault(check.fault.code, check.fault.message);
  return check;
}
