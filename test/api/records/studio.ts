// What an agent works at over many runs.
import { newId } from '#core/kernel/ids.ts';
import type { AreaRecords, Owner } from './area.ts';

export async function studioRecords({ ctx, userId, agent }: Owner): Promise<AreaRecords> {
  const meta_run_id = newId('mrn');
  const remembered = { goal: 'Ship it', criteria: '["It runs"]', plan: '{"next": "test"}', progress: '{"built": true}', status: 'planning' as const };
  await ctx.db('meta_runs').insert({ meta_run_id, agent_id: agent.id, user_id: userId, ...remembered });
  return { params: { 'metaAgentRuns.get.run_id': meta_run_id, 'metaAgentRuns.update.run_id': meta_run_id } };
}
