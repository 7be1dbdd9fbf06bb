// Deploying a commit of the repository: its archive is taken in as an upload would be.
import type { z } from 'zod';
import type { AgentFromTarballOut } from '#contract/agents/agents.ts';
import { DEFAULT_BRANCH } from '#contract/deploys/source.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { withControl } from '../../accounts/control.ts';
import { BadRequest, Conflict, PayloadTooLarge } from '../../kernel/errors.ts';
import { requireUser } from '../../kernel/policy.ts';
import { acceptArchive, storeArchive } from '../deployment/accept-archive.ts';
import { OPEN_DEPLOYMENT_STATES } from '#contract/states.ts';
import { redeploySource } from '../deployment/redeploy.ts';
import { sourceRepository } from '../../agents/agent/repository.ts';
import { ownerOf, sourceFor } from './find.ts';
import { fromHosting, throughHosting } from './hosting.ts';

type Accepted = z.infer<typeof AgentFromTarballOut>;

/**
 * For the owner, or for who has a token that may write. `pushed`: for a push of this commit, which the first
 * process that comes to it deploys, once.
 * @throws NotFound agent_not_found, commit_not_found; what an upload is refused for
 */
export async function deployCommit(ctx: Ctx, i: { name: string; commit: string; pushed?: boolean }): Promise<Accepted> {
  const agent = await sourceFor(ctx.db, ctx.actor, 'source.deploy', i.name);
  const owner = await withControl(ctx.db, await ownerOf(ctx.db, agent.owner_id));
  requireUser({ actor: owner }, 'agent.deploy');
  const repository = sourceRepository(agent.owner_id, agent.name);
  return acceptArchive(
    ctx,
    owner,
    async (key) => {
      const archive = await fromHosting(ctx.drivers.scm.archive({ repository, commit: i.commit }));
      return { ...(await storeArchive(ctx, key, bytesOf(archive))), name: agent.name };
    },
    { commit: i.commit, pushed: i.pushed },
  );
}

/**
 * The head of the repository where it was not deployed yet, else the newest source once more; with
 * `deploy_id` that of an earlier deployment.
 */
export async function deploySource(ctx: Ctx, i: { name: string; deploy_id?: string | undefined }): Promise<Accepted> {
  if (i.deploy_id !== undefined) return redeploySource(ctx, i);
  const user = requireUser(ctx, 'agent.redeploy');
  const { agent_id, owner_id, name } = await sourceFor(ctx.db, user, 'source.deploy', i.name);
  const head = await throughHosting(ctx.drivers.scm.head({ repository: sourceRepository(owner_id, name), branch: DEFAULT_BRANCH }));
  const newest = await ctx.db('deployments').where({ agent_id }).orderBy('number', 'desc').first('source_commit', 'state', 'number');
  if (head === undefined || newest?.source_commit === head) return redeploySource(ctx, i);
  if (newest && OPEN_DEPLOYMENT_STATES.includes(newest.state))
    throw new Conflict('deployment_under_way', `Deployment ${newest.number} is under way: try again once it has ended`);
  return deployCommit(ctx, { name, commit: head }).catch((error: unknown): never => {
    // What an upload is refused for; this route has other answers for it.
    if (error instanceof BadRequest || error instanceof PayloadTooLarge)
      throw new Conflict('source_not_deployable', `The head of ${DEFAULT_BRANCH} cannot be deployed: ${error.message}`, { reason: error.code });
    throw error;
  });
}

// Safe: a stream of bytes, from git or from a server of git's.
function bytesOf(stream: NodeJS.ReadableStream): AsyncIterable<Uint8Array> {
  return stream as unknown as AsyncIterable<Uint8Array>;
}
