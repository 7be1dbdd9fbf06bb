// The brain of an account: a memory that was aged, and work that waits.
import { TeamPlanIn } from '#contract/studio/collective-runtime.ts';
import { addDispatch } from '#core/studio/brain/dispatch.ts';
import { ageMemories, dream } from '#core/studio/brain/dream.ts';
import { takePopulation } from '#core/studio/brain/population.ts';
import { holdTownhall } from '#core/studio/brain/townhall.ts';
import { newId } from '#core/kernel/ids.ts';
import type { AreaRecords, Owner } from './area.ts';

export async function brainRecords({ ctx, userId }: Owner): Promise<AreaRecords> {
  const old = new Date(Date.now() - 400 * 86_400_000);
  const memory_id = newId('tmm');
  const memory = { owner_id: userId, kind: 'lesson' as const, about: 'Greet everybody', sources: [] };
  await ctx.db('team_memories').insert([
    { ...memory, memory_id: newId('tmm'), text: 'Doors are closed at six', created_at: old },
    { ...memory, memory_id, text: 'Ask at the desk who is in', created_at: new Date() },
  ]);
  const { changes } = await ageMemories(ctx, { days: 365 });
  await dream(ctx);
  await takePopulation(ctx);
  await holdTownhall(ctx);
  await addDispatch(ctx, TeamPlanIn.parse({ goal: 'Greet the new people' }));
  return {
    params: {
      'companyBrain.artifacts.kind': 'townhall',
      'companyBrain.undoChange.change_id': changes[0]?.change_id ?? '',
      'companyBrain.undoChange': changes[0]?.change_id ?? '',
    },
    calls: {
      'companyBrain.feedback': { body: { memory_id, good: true } },
      'companyBrain.dispatch': { body: { goal: 'Greet all' } },
    },
  };
}
