// A run of an agent for a user, as its credential would name it.
import type { Ctx, RunActor } from '../../ctx.ts';
import { newId } from '../../ids.ts';
import { addAgent, type TestAgent } from '../../../test/support/verbs.ts';

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
  const actor: RunActor = {
    kind: 'run',
    run_id: newId('run'),
    agent_id: agent.id,
    agent_name: agent.name,
    deploy_id: row?.live_deploy_id ?? '',
    owner_id: ownerId,
    skill: 'work',
    user_id: userId,
    caller: { kind: userId === null ? 'anonymous' : 'user', id: userId },
    chain: [`${agent.name}/work`],
    parent_run_id: null,
    thread_id: null,
    job_id: null,
    started_at: ctx.clock(),
  };
  return { ...ctx, actor };
}
