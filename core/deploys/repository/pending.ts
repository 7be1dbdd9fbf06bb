// A push to the default branch is noted before it is taken, until its deployment is queued: a process that
// ends in between, or an outage, leaves it to housekeeping. So what a push has stored is deployed.
import { DEFAULT_BRANCH } from '#contract/deploys/source.ts';
import type { SourcePushesRow } from '#db/tables.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { DomainError } from '../../kernel/errors.ts';
import { sourceRepository } from '../../agents/agent/repository.ts';
import { endPush } from '../deployment/claim-push.ts';
import { deployCommit } from './deploy.ts';
import { ownerOf, sourceFor } from './find.ts';

/**
 * A push under way queues its deployment sooner; one that is slower and housekeeping queue it once:
 * claim-push.ts.
 */
const FORGOTTEN_MS = 20_000;
/** After this a commit that the branch does not have was refused, or another push followed. */
const REFUSED_MS = 180_000;
const AT_ONCE = 20;

export async function expectDeployment(ctx: Ctx, name: string, commit_id: string | undefined): Promise<void> {
  if (commit_id === undefined || ctx.actor.kind !== 'source_token') return;
  const { agent_id } = await sourceFor(ctx.db, ctx.actor, 'source.push', name);
  const row = { commit_id, token_name: ctx.actor.token_name, pushed_at: new Date(ctx.clock()) };
  await ctx
    .db('source_pushes')
    .insert({ agent_id, ...row })
    .onConflict('agent_id')
    .merge(row);
}

/** Not the project's fault: it is tried again. */
export function isHostingOutage(error: DomainError): boolean {
  return error.code === 'source_hosting_down' || error.code === 'source_hosting_failed' || error.code === 'rate_limited';
}

/** Resolves with how many were deployed. */
export async function deployForgottenPushes(ctx: Ctx): Promise<number> {
  const now = ctx.clock();
  const forgotten = await ctx
    .db('source_pushes')
    .where('pushed_at', '<', new Date(now - FORGOTTEN_MS))
    .orderBy('pushed_at')
    .limit(AT_ONCE)
    .select('agent_id', 'commit_id', 'pushed_at');
  let deployed = 0;
  const outages: unknown[] = [];
  for (const row of forgotten) {
    try {
      if (await deployForgotten(ctx, row)) deployed += 1;
    } catch (error) {
      // The row stays, behind all others, so that repeated failures do not block other rows.
      outages.push(error);
      const { agent_id, commit_id } = row;
      await ctx
        .db('source_pushes')
        .where({ agent_id, commit_id })
        .update({ pushed_at: new Date(now) });
    }
  }
  if (outages.length > 0) throw outages[0];
  return deployed;
}

async function deployForgotten(ctx: Ctx, { agent_id, commit_id, pushed_at }: Omit<SourcePushesRow, 'token_name'>): Promise<boolean> {
  const agent = await ctx.db('agents').where({ agent_id }).whereNull('deleted_at').first('name', 'owner_id');
  const head = agent && (await ctx.drivers.scm.head({ repository: sourceRepository(agent.owner_id, agent.name), branch: DEFAULT_BRANCH }));
  if (!agent || head !== commit_id) {
    if (!agent || pushed_at.getTime() < ctx.clock() - REFUSED_MS) await endPush(ctx.db, agent_id, commit_id);
    return false;
  }
  try {
    await deployCommit({ ...ctx, actor: await ownerOf(ctx.db, agent.owner_id) }, { name: agent.name, commit: commit_id, pushed: true });
    return true;
  } catch (error) {
    if (!(error instanceof DomainError) || isHostingOutage(error)) throw error;
    await endPush(ctx.db, agent_id, commit_id);
    return false;
  }
}
