// What an agent works at over many runs; rehearsals, simulations and comparisons.
import { newId } from '#core/kernel/ids.ts';
import type { AreaRecords, Owner } from './area.ts';
import { kernelRecords } from './kernel.ts';
import { rehearsalRecords } from './rehearsals.ts';

export async function studioRecords(owner: Owner): Promise<AreaRecords> {
  const { ctx, userId, agent } = owner;
  const meta_run_id = newId('mrn');
  const remembered = { goal: 'Ship it', criteria: '["It runs"]', plan: '{"next": "test"}', progress: '{"built": true}', status: 'planning' as const };
  await ctx.db('meta_runs').insert({ meta_run_id, agent_id: agent.id, user_id: userId, ...remembered });
  const [rehearsals, kernel] = [await rehearsalRecords(owner), await kernelRecords(owner)];
  return {
    params: { 'metaAgentRuns.get.run_id': meta_run_id, 'metaAgentRuns.update.run_id': meta_run_id, ...rehearsals.params, ...kernel.params },
    calls: { ...rehearsals.calls, ...kernel.calls },
  };
}
