// A run of an agent for a user, as its credential would name it.
import type { Ctx, RunActor } from '../../../kernel/ctx.ts';
import { runOf as runOfLive } from '#test/support/runs.ts';
import { addAgent, type TestAgent } from '#test/support/verbs.ts';

export interface TestRun {
  agent: TestAgent;
  ctx: Ctx & { actor: RunActor };
}

/** A new live agent of `ownerId`, running for `userId`. */
export async function addRun(ctx: Ctx, ownerId: string, userId: string | null, visibility: 'public' | 'unlisted' = 'unlisted'): Promise<TestRun> {
  const agent = await addAgent(ctx.db, ownerId, { live: true, visibility });
  return { agent, ctx: await runOf(ctx, agent, ownerId, userId) };
}

/** One more run of the agent. */
export async function runOf(ctx: Ctx, agent: TestAgent, ownerId: string, userId: string | null): Promise<TestRun['ctx']> {
  const row = await ctx.db('agents').where({ agent_id: agent.id }).first('live_deploy_id');
  return runOfLive(ctx, { ...agent, ownerId, deployId: row?.live_deploy_id ?? '' }, userId);
}
