// The live deployment once more: same source, same image, another instance, which starts with what is set now.
import type { Knex } from 'knex';
import { audit } from '../../audit/record.ts';
import type { TxCtx, UserActor } from '../../ctx.ts';
import { Conflict } from '../../errors.ts';
import { newId } from '../../ids.ts';
import { createJob } from '../../jobs/create.ts';
import { startWorkflow } from '../../outbox/messages.ts';
import { openDeployments } from './model.ts';

/** In the caller's transaction, which holds the agent's row. Undefined: nothing is live, so there is nothing to restart. @throws Conflict deployment_under_way */
export async function restartLive(ctx: TxCtx, user: UserActor, agentId: string): Promise<{ deploy_id: string; job_id: string } | undefined> {
  const tx: Knex.Transaction = ctx.db;
  const open = await tx('deployments').where({ agent_id: agentId }).whereIn('state', openDeployments).first('number');
  if (open) {
    const message = `Deployment ${open.number} is under way: leave restart out, or try again once it is live`;
    throw new Conflict('deployment_under_way', message);
  }
  const live = await tx('deployments').where({ agent_id: agentId, state: 'live' }).first();
  if (!live?.image) return undefined;
  const [agent] = await tx('agents')
    .where({ agent_id: agentId, live_deploy_id: live.deploy_id })
    .whereNull('deleted_at')
    .update({ deploy_count: tx.raw('deploy_count + 1'), updated_at: tx.raw('now()') })
    .returning(['name', 'deploy_count']);
  if (!agent) return undefined;
  const deployId = newId('dep', ctx.clock());
  const workflowId = `deploy:${deployId}`;
  const jobId = await createJob(tx, ctx, {
    kind: 'deploy',
    title: `Restart ${agent.name} ${live.version ?? ''}`.trimEnd(),
    ownerId: user.user_id,
    agent: { id: agentId, name: agent.name },
    workflowId,
    input: { deploy_id: deployId, number: agent.deploy_count, version: live.version, restart_of: live.deploy_id },
  });
  const { version, entrypoint, source_key, source_sha256, source_bytes, source_commit, image, image_bytes } = live;
  await tx('deployments').insert({
    deploy_id: deployId,
    agent_id: agentId,
    number: agent.deploy_count,
    state: 'queued',
    job_id: jobId,
    created_by: user.user_id,
    version,
    entrypoint,
    manifest: JSON.stringify(live.manifest),
    // The listing stays as it is.
    public: null,
    source_key,
    source_sha256,
    source_bytes,
    source_commit,
    image,
    image_bytes,
    card: JSON.stringify(live.card),
  });
  await startWorkflow(tx, ctx, {
    type: 'deployAgent',
    workflowId,
    taskQueue: 'control',
    args: [{ deploy_id: deployId }],
    searchAttributes: { SvcKind: 'deploy', SvcAgent: agent.name, SvcOwner: user.user_id, SvcJob: jobId },
  });
  await audit(tx, ctx, 'agent.restart', agentId, { name: agent.name, deploy_id: deployId });
  return { deploy_id: deployId, job_id: jobId };
}
