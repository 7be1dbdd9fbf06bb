// The nightly pass is an entry in the engine's calendar; made when it is not there.
import type { Ctx } from '../../ctx.ts';

const scheduleId = 'svc:retention';

export async function ensureRetention({ drivers }: Pick<Ctx, 'drivers'>): Promise<void> {
  if (await drivers.schedules.describe(scheduleId)) return;
  await drivers.schedules.put({
    scheduleId,
    crons: ['17 3 * * *'],
    timeZone: 'UTC',
    overlap: 'skip',
    catchupWindowSeconds: 86_400,
    jitterSeconds: 600,
    paused: false,
    note: 'archives the events of old jobs',
    workflow: { type: 'retention', workflowId: 'retention', taskQueue: 'control', args: [], searchAttributes: { SvcKind: 'retention', SvcOwner: 'platform' } },
  });
}
