// What a scheduled run does outside its workflow: thin over core/conversation/schedule.
import type { Ctx } from '#core/kernel/ctx.ts';
import { newId } from '#core/kernel/ids.ts';
import { beginFiring as begin, type DueIn } from '#core/conversation/schedule/begin.ts';
import { cancelFiring as cancel } from '#core/conversation/schedule/cancel.ts';
import { checkFiring as check } from '#core/conversation/schedule/ended.ts';
import type { FiringState } from '#core/conversation/schedule/model.ts';

export type ScheduleActivities = ReturnType<typeof createScheduleActivities>;

export function createScheduleActivities(deps: Omit<Ctx, 'actor' | 'requestId'>) {
  const platform = (): Ctx => ({ ...deps, actor: { kind: 'platform', service: 'schedules' }, requestId: newId('req', deps.clock()) });
  return {
    /** Null: there is nothing to run any more. */
    beginFiring: async (i: DueIn): Promise<FiringState | null> => (await begin(platform(), i)) ?? null,

    /** True: it is over. */
    checkFiring: (firingId: string): Promise<boolean> => check(platform(), firingId),

    cancelFiring: (firingId: string): Promise<void> => cancel(platform(), firingId),
  };
}
