import type { z } from 'zod';
import type { AgentFromTarballOut } from '#contract/agents/agents.ts';
import type { Manifest } from '#contract/wire/manifest.ts';
import { audit } from '../../kernel/audit.ts';
import type { Ctx, UserActor } from '../../kernel/ctx.ts';
import { Conflict } from '../../kernel/errors.ts';
import { withControl } from '../../kernel/control.ts';
import { newId } from '../../kernel/ids.ts';
import { createJob } from '../../jobs/create.ts';
import { startWorkflow } from '../../outbox/messages.ts';
import { requireUser } from '../../kernel/policy.ts';
import { inTx } from '../../kernel/tx.ts';
import { claimName } from '../agent/claim-name.ts';
import { agentUrl } from '../agent/url.ts';
import { refuseImported } from '../import/find.ts';

export interface QueuedSource {
  manifest: Manifest;
  /** Listing once live; null leaves it as it is. */
  public: boolean | null;
  sourceKey: string;
  sourceSha256: string;
  sourceBytes: number;
  commit: string;
}

/** Agent (claimed if new), deployment, job and the start of its workflow: all of it or nothing. */
export async function queueDeployment(ctx: Ctx, user: UserActor, source: QueuedSource): Promise<z.infer<typeof AgentFromTarballOut>> {
  const { name, version, entrypoint } = source.manifest;
  return inTx(ctx, async (tx) => {
    const actor = await withControl(tx, user);
    requireUser({ actor }, 'agent.deploy');
    if (source.public === true) requireUser({ actor }, 'agent.publish');
    const claimed = await claimName(tx, ctx, user, name);
    const deployId = newId('dep', ctx.clock());
    const [agent] = await tx('agents')
      .where({ name, owner_id: user.user_id })
      .whereNull('deleted_at')
      .update({ deploy_count: tx.raw('deploy_count + 1'), updated_at: tx.raw('now()') })
      .returning(['agent_id', 'deploy_count']);
    if (!agent) throw new Conflict('agent_deleted', `${name} was deleted at this moment: deploy again to bring it back`);
    await refuseImported(tx, { agent_id: agent.agent_id, name });
    const workflowId = `deploy:${deployId}`;
    const jobId = await createJob(tx, ctx, {
      kind: 'deploy',
      title: `Deploy ${name} ${version}`,
      ownerId: user.user_id,
      agent: { id: agent.agent_id, name },
      workflowId,
      input: { deploy_id: deployId, number: agent.deploy_count, version },
    });
    await tx('deployments').insert({
      deploy_id: deployId,
      agent_id: agent.agent_id,
      number: agent.deploy_count,
      state: 'queued',
      job_id: jobId,
      created_by: user.user_id,
      version,
      entrypoint,
      manifest: JSON.stringify(source.manifest),
      public: source.public,
      source_key: source.sourceKey,
      source_sha256: source.sourceSha256,
      source_bytes: source.sourceBytes,
      source_commit: source.commit,
    });
    await startWorkflow(tx, ctx, {
      type: 'deployAgent',
      workflowId,
      taskQueue: 'control',
      args: [{ deploy_id: deployId }],
      searchAttributes: { SvcKind: 'deploy', SvcAgent: name, SvcOwner: user.user_id, SvcJob: jobId },
    });
    await audit(tx, ctx, 'agent.deploy', agent.agent_id, { name, deploy_id: deployId, new_agent: claimed !== undefined });
    return {
      name,
      deploy_id: deployId,
      job_id: jobId,
      number: agent.deploy_count,
      state: 'queued',
      url: agentUrl(ctx.config, name),
      source_sha256: source.sourceSha256,
    };
  });
}
