// What an agent works at over many runs; challenges, rehearsals, simulations and comparisons.
import { newId } from '#core/kernel/ids.ts';
import { agentStudioRecords } from './agent-studio.ts';
import type { AreaRecords, Owner } from './area.ts';
import { brainRecords } from './brain.ts';
import { challengeRecords } from './challenges.ts';
import { kernelRecords } from './kernel.ts';
import { rehearsalRecords } from './rehearsals.ts';
import { teamRecords } from './teams.ts';
import { trialRecords } from './trials.ts';

export async function studioRecords(owner: Owner): Promise<AreaRecords> {
  const { ctx, userId, agent } = owner;
  const meta_run_id = newId('mrn');
  const remembered = { goal: 'Ship it', criteria: '["It runs"]', plan: '{"next": "test"}', progress: '{"built": true}', status: 'planning' as const };
  await ctx.db('meta_runs').insert({ meta_run_id, agent_id: agent.id, user_id: userId, ...remembered });
  const parts = [
    await challengeRecords(owner),
    await rehearsalRecords(owner),
    await kernelRecords(owner),
    await brainRecords(owner),
    await teamRecords(owner),
    await trialRecords(owner),
    await agentStudioRecords(owner),
  ];
  const ofMetaRuns = { 'metaAgentRuns.get.run_id': meta_run_id, 'metaAgentRuns.update.run_id': meta_run_id };
  return {
    params: Object.assign(ofMetaRuns, ...parts.map(({ params }) => params)),
    calls: Object.assign({}, ...parts.map(({ calls }) => calls)),
  };
}
