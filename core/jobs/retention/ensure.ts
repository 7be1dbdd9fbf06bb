// The nightly pass is an entry in the engine's calendar: made when it is not there, changed when its definition here has changed.
import { canonicalSha256 } from '#contract/crypto/sha256.ts';
import type { WorkflowSchedule } from '#drivers/workflows/schedules.ts';
import type { Ctx } from '../../kernel/ctx.ts';

const retention = {
  scheduleId: 'svc:retention',
  calendars: [{ hours: [3], minutes: [17] }],
  overlap: 'skip',
  catchupWindowSeconds: 86_400,
  jitterSeconds: 600,
  workflow: { type: 'retention', workflowId: 'retention', taskQueue: 'control', args: [], searchAttributes: { SvcKind: 'retention', SvcOwner: 'platform' } },
} satisfies Omit<WorkflowSchedule, 'paused' | 'note'>;

/** The note carries the definition's hash, so that an outdated schedule is recognised. An operator's pause stays. */
export async function ensureRetention({ drivers }: Pick<Ctx, 'drivers'>, definition: Omit<WorkflowSchedule, 'paused' | 'note'> = retention): Promise<void> {
  const note = `archives the events of old jobs (definition ${canonicalSha256(definition).slice(0, 12)})`;
  const there = await drivers.schedules.describe(definition.scheduleId);
  if (there?.note.includes(note)) return;
  await drivers.schedules.put({ ...definition, note, paused: there?.paused ?? false });
}
