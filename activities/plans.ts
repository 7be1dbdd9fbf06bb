// What a plan does outside its workflow: thin over core/conversation/plan.
import type { Ctx } from '#core/kernel/ctx.ts';
import { newId } from '#core/kernel/ids.ts';
import type { PlanProgress } from '#core/conversation/plan/advance.ts';
import { advanceAtOnce } from '#core/conversation/plan/advance-at-once.ts';
import { cancelPlan as cancel } from '#core/conversation/plan/cancel.ts';
import { thinkOfPlan as think } from '#core/conversation/plan/think.ts';
import { longRunning } from './long-running.ts';

export type { PlanProgress };
export type PlanActivities = ReturnType<typeof createPlanActivities>;

export function createPlanActivities(deps: Omit<Ctx, 'actor' | 'requestId'>) {
  const platform = (): Ctx => ({ ...deps, actor: { kind: 'platform', service: 'worker' }, requestId: newId('req', deps.clock()) });
  return {
    advancePlan: (dagRunId: string): Promise<PlanProgress> => advanceAtOnce(platform(), dagRunId),
    /** A model says what comes next, or the last word. */
    thinkOfPlan: (dagRunId: string): Promise<void> => longRunning((signal) => think(platform(), dagRunId, signal)),
    cancelPlan: (dagRunId: string, anyway: boolean): Promise<boolean> => cancel(platform(), dagRunId, anyway),
  };
}
