import type { Knex } from 'knex';
import type { z } from 'zod';
import type { AgentFromTarballOut } from '#contract/agents/agents.ts';
import type { Manifest } from '#contract/wire/manifest.ts';
import type { DeploymentsRow } from '#db/tables.ts';
import { act, done, type ActOutcome, unchanged } from '../../kernel/act.ts';
import type { Ctx, TxCtx, UserActor } from '../../kernel/ctx.ts';
import { Conflict } from '../../kernel/errors.ts';
import { newId } from '../../kernel/ids.ts';
import { beginWork } from '../../jobs/long-work.ts';
import { claimName } from '../../agents/agent/claim-name.ts';
import { agentUrl } from '../../agents/agent/url.ts';
import { declareDatabases } from '../../agents/database/declare.ts';
import { requireByOperators, requireByRules, requireReleasable } from '../../agents/agent/may-deploy.ts';
import { deployIn } from './limit.ts';
import { claimPush } from './claim-push.ts';

export interface QueuedSource {
  manifest: Manifest;
  /** Listing once live; null leaves it as it is. */
  public: boolean | null;
  sourceKey: string;
  sourceSha256: string;
  sourceBytes: number;
  commit: string;
  /**
   * For a push of the commit: where another process has queued it meanwhile, that deployment is the answer.
   */
  pushed?: boolean | undefined;
  /** Its image, where it was built already: nothing is built. */
  built?: { image: string; image_bytes: number; sdk: string | null; runs_on: string | null; card: unknown } | undefined;
  /** What belongs to the deployment, in its transaction. */
  beside?: ((tx: Knex.Transaction, deployId: string) => Promise<void>) | undefined;
}

type Accepted = z.infer<typeof AgentFromTarballOut>;

interface Queueing {
  accepted: Accepted;
  /** False: it was queued by another process. */
  mine: boolean;
}

/** Agent (claimed if new), deployment, job and the start of its workflow: all of it or nothing. */
export async function queueDeployment(ctx: Ctx, user: UserActor, source: QueuedSource): Promise<Queueing> {
  const { name, version, entrypoint } = source.manifest;
  const publish = source.public === true;
  await requireByRules(ctx, { accountId: user.user_id, name, actions: publish ? ['deploy', 'publish'] : ['deploy'] });
  const operatorsPermit = (ctx: TxCtx, action: 'agent.deploy') => requireByOperators(ctx.db, user, { action, publish });
  return act(ctx, 'agent.deploy', operatorsPermit, async (ctx): Promise<ActOutcome<Queueing>> => {
    const claimed = await claimName(ctx, user, name);
    const pushed = source.pushed ? await queuedForPush(ctx.db, { name, ownerId: user.user_id, commit: source.commit }) : undefined;
    if (pushed) return unchanged({ accepted: present(ctx, name, pushed), mine: false });
    const deployId = newId('dep', ctx.clock());
    const [agent] = await ctx
      .db('agents')
      .where({ name, owner_id: user.user_id })
      .whereNull('deleted_at')
      .update({ deploy_count: ctx.db.raw('deploy_count + 1'), updated_at: ctx.db.raw('now()') })
      .returning(['agent_id', 'deploy_count', 'visibility']);
    if (!agent) throw new Conflict('agent_deleted', `${name} was deleted at this moment: deploy again to bring it back`);
    await requireReleasable(ctx.db, { agent_id: agent.agent_id, name, promotes: publish && agent.visibility !== 'public', source: true });
    const jobId = await beginWork(ctx, {
      kind: 'deploy',
      title: `Deploy ${name} ${version}`,
      ownerId: user.user_id,
      agent: { id: agent.agent_id, name },
      workflowId: `deploy:${deployId}`,
      workflow: { type: 'deployAgent', input: () => deployIn(deployId, source.manifest) },
      input: { deploy_id: deployId, number: agent.deploy_count, version },
    });
    await ctx.db('deployments').insert({
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
      ...(source.built && { ...source.built, card: source.built.card === undefined ? null : JSON.stringify(source.built.card) }),
    });
    await declareDatabases(ctx, { agent_id: agent.agent_id, name, owner_id: user.user_id }, source.manifest.resources);
    await source.beside?.(ctx.db, deployId);
    const queued = { deploy_id: deployId, job_id: jobId, number: agent.deploy_count, state: 'queued' as const, source_sha256: source.sourceSha256 };
    const facts = { name, deploy_id: deployId, new_agent: claimed !== undefined };
    return done({ agent: agent.agent_id }, facts, { accepted: present(ctx, name, queued), mine: true });
  });
}

type Queued = Pick<DeploymentsRow, 'deploy_id' | 'job_id' | 'number' | 'state' | 'source_sha256'>;

/** Holds the agent's row: a push and housekeeping come here one after the other. */
async function queuedForPush(tx: Knex.Transaction, i: { name: string; ownerId: string; commit: string }): Promise<Queued | undefined> {
  const agent = await tx('agents').where({ name: i.name, owner_id: i.ownerId }).whereNull('deleted_at').forUpdate().first('agent_id');
  const deployId = agent && (await claimPush(tx, agent.agent_id, i.commit));
  return deployId === undefined ? undefined : tx('deployments').where({ deploy_id: deployId }).first();
}

function present(ctx: Ctx, name: string, { deploy_id, job_id, number, state, source_sha256 }: Queued): Accepted {
  return { name, deploy_id, job_id, number, state, url: agentUrl(ctx.config, name), source_sha256 };
}
