// A push to the default branch is noted before it is taken, until its deployment is queued: a process that ends in between, or an outage, leaves it to
// housekeeping. So what a push has stored is deployed.
import type { Knex } from 'knex';
import { DEFAULT_BRANCH } from '#contract/agents/source.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { DomainError } from '../../kernel/errors.ts';
import { sourceRepository } from './address.ts';
import { deployCommit } from './deploy.ts';
import { ownerOf, sourceFor } from './find.ts';

/** A push under way queues its deployment sooner. */
const FORGOTTEN_MS = 180_000;
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

export async function endPush(db: Knex, agent_id: string, commit_id: string): Promise<void> {
  await db('source_pushes').where({ agent_id, commit_id }).delete();
}

/** Not the project's fault: it is tried again. */
export function isOutage(error: DomainError): boolean {
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
  for (const row of forgotten) {
    // One process takes it; where that one ends too, another does later.
    const mine = await ctx
      .db('source_pushes')
      .where(row)
      .update({ pushed_at: new Date(now) });
    if (mine === 1 && (await deployForgotten(ctx, row))) deployed += 1;
  }
  return deployed;
}

async function deployForgotten(ctx: Ctx, { agent_id, commit_id }: { agent_id: string; commit_id: string }): Promise<boolean> {
  const agent = await ctx.db('agents').where({ agent_id }).whereNull('deleted_at').first('name', 'owner_id');
  const head = agent && (await ctx.drivers.scm.head({ repository: sourceRepository(agent.owner_id, agent.name), branch: DEFAULT_BRANCH }));
  const known = await ctx.db('deployments').where({ agent_id, source_commit: commit_id }).first('deploy_id');
  // Else: refused, or followed by another push, or deployed meanwhile.
  const isOpen = agent && head === commit_id && !known;
  try {
    if (isOpen) await deployCommit({ ...ctx, actor: await ownerOf(ctx.db, agent.owner_id) }, { name: agent.name, commit: commit_id });
  } catch (error) {
    // The row stays for the next time.
    if (!(error instanceof DomainError) || isOutage(error)) throw error;
  }
  await endPush(ctx.db, agent_id, commit_id);
  return isOpen === true;
}
