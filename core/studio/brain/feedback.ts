// What a person says of an agent, which counts in its scorecard, or of a memory, which holds or not.
import type { FeedbackIn } from '#contract/studio/company-brain.ts';
import { agentFor } from '../../agents/agent/find.ts';
import { act, done } from '../../kernel/act.ts';
import type { Ctx, TxCtx } from '../../kernel/ctx.ts';
import { NotFound } from '../../kernel/errors.ts';
import { newId } from '../../kernel/ids.ts';
import { requireUser } from '../../kernel/policy.ts';
import { changeMemory } from './change.ts';

/** @throws NotFound agent_not_found, team_memory_not_found */
export async function giveFeedback(ctx: Ctx, i: FeedbackIn): Promise<{ feedback_id: string }> {
  return act(ctx, 'brain.change', requireUser, async (ctx, { user_id }) => {
    const feedback_id = newId('bfb', ctx.clock());
    const row = { feedback_id, owner_id: user_id, good: i.good, note: i.note, created_at: new Date(ctx.clock()) };
    if ('agent' in i) {
      const { agent_id } = await agentFor(ctx.db, ctx.actor, 'agent.call', i.agent);
      await ctx.db('brain_feedback').insert({ ...row, agent_id });
    } else {
      await applyMemoryFeedback(ctx, user_id, i);
      await ctx.db('brain_feedback').insert({ ...row, memory_id: i.memory_id });
    }
    const about = 'agent' in i ? { agent: i.agent } : { memory_id: i.memory_id };
    return done({ brain_feedback: feedback_id }, { good: i.good, ...about }, { feedback_id });
  });
}

async function applyMemoryFeedback(ctx: TxCtx, ownerId: string, i: { memory_id: string; good: boolean }): Promise<void> {
  const memory = await ctx.db('team_memories').where({ memory_id: i.memory_id, owner_id: ownerId }).forUpdate().first();
  if (!memory) throw new NotFound('team_memory_not_found', `You have no memory ${i.memory_id}: list yours with svc team memories`);
  if (!i.good) return void (await changeMemory(ctx, memory, { kind: 'aged', reason: 'You said that it does not hold' }));
  await ctx.db('team_memories').where({ memory_id: memory.memory_id }).whereNot({ state: 'merged' }).update({ state: 'current', reason: null, confirmed_at: new Date(ctx.clock()) }); // prettier-ignore
}
