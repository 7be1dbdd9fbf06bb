// A deployment once more: the source of an earlier one, and its image where that is kept.
import type { LocalResources } from '#contract/wire/manifest.ts';
import type { DeploymentsRow } from '#db/tables.ts';
import { audit } from '../../kernel/audit.ts';
import type { TxCtx, UserActor } from '../../kernel/ctx.ts';
import { newId } from '../../kernel/ids.ts';
import { beginWork } from '../../jobs/long-work.ts';
import { declareDatabases } from '../../agents/database/declare.ts';
import { deployIn } from './limit.ts';

export interface Again {
  agent: { id: string; name: string; number: number };
  of: DeploymentsRow;
  /** Its image is on the host: nothing is built. */
  built: boolean;
  /** Of the job: `Restart`, `Roll back`. */
  title: string;
  input: Record<string, unknown>;
  action: 'agent.restart' | 'agent.redeploy' | 'agent.upgrade';
  /** It must stay what `of` is to its callers. */
  upgrade?: 'runtime';
}

/** In the caller's transaction, which holds the agent's row and has counted the deployment. */
export async function queueAgain(
  ctx: TxCtx,
  user: Pick<UserActor, 'user_id'>,
  { agent, of, built, title, input, action, upgrade }: Again,
): Promise<{ deploy_id: string; job_id: string }> {
  const deployId = newId('dep', ctx.clock());
  const jobId = await beginWork(ctx, {
    kind: 'deploy',
    title: `${title} ${agent.name} ${of.version ?? ''}`.trimEnd(),
    ownerId: user.user_id,
    agent: { id: agent.id, name: agent.name },
    workflowId: `deploy:${deployId}`,
    workflow: { type: 'deployAgent', input: () => deployIn(deployId, of.manifest) },
    input: { deploy_id: deployId, number: agent.number, version: of.version, ...input },
  });
  const { version, entrypoint, source_key, source_sha256, source_bytes, source_commit, image, image_bytes, sdk, runs_on } = of;
  await ctx.db('deployments').insert({
    deploy_id: deployId,
    agent_id: agent.id,
    number: agent.number,
    state: 'queued',
    job_id: jobId,
    created_by: user.user_id,
    version,
    entrypoint,
    manifest: JSON.stringify(of.manifest),
    // The listing stays as it is.
    public: null,
    source_key,
    source_sha256,
    source_bytes,
    source_commit,
    ...(built ? { image, image_bytes, sdk, runs_on, card: JSON.stringify(of.card) } : {}),
    ...(upgrade && { upgrade_kind: upgrade, upgrade_of: of.deploy_id }),
  });
  // A restart and an upgrade have what the live deployment has, as people have set it since.
  if (action === 'agent.redeploy') await declareDatabases(ctx, { agent_id: agent.id, name: agent.name, owner_id: user.user_id }, resourcesIn(of.manifest));
  await audit(ctx, action, { agent: agent.id }, { name: agent.name, deploy_id: deployId, again: of.deploy_id });
  return { deploy_id: deployId, job_id: jobId };
}

// Safe: it was checked when it was taken in.
function resourcesIn(manifest: unknown): LocalResources | undefined {
  return (Object(manifest) as { resources?: LocalResources }).resources;
}
