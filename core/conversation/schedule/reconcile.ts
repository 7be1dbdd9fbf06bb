// Compares Temporal's schedules with the rows: writes those that are missing or were changed by hand, removes
// those without a row.
import type { Ctx } from '../../kernel/ctx.ts';
import { longAgo } from '../../kernel/lease.ts';
import { engineIdOf, SCHEDULE_PREFIX } from './model.ts';
import { syncSchedule } from './sync.ts';

const batch = 200;
/** After this time a new schedule shows in Temporal's list. */
const listedAfterSeconds = 60;

export interface Repaired {
  missing: string[];
  changed: string[];
  orphans: string[];
}

/** Resolves with the ids of what it repaired. */
export async function reconcileSchedules(ctx: Ctx): Promise<Repaired> {
  return { ...(await repairDrift(ctx)), orphans: await removeOrphans(ctx) };
}

async function repairDrift(ctx: Ctx): Promise<Pick<Repaired, 'missing' | 'changed'>> {
  const [missing, changed]: [string[], string[]] = [[], []];
  // In random order: when there are more than one pass looks at, each gets its turn.
  const rows = await ctx.db('schedules').whereNull('deleted_at').whereRaw('synced_version = version').orderByRaw('random()').limit(batch);
  for (const row of rows) {
    const view = await ctx.drivers.schedules.describe(engineIdOf(row.schedule_id));
    if (view?.fingerprint === row.fingerprint) continue;
    // Only if it is still the version that was read: a change in the meantime has reached Temporal already.
    const behind = await ctx
      .db('schedules')
      .where({ schedule_id: row.schedule_id, version: row.version, synced_version: row.version })
      .where('fingerprint', row.fingerprint)
      .whereNull('deleted_at')
      .update({ synced_version: 0 });
    if (behind === 0) continue;
    (view ? changed : missing).push(row.schedule_id);
    await syncSchedule(ctx, row.schedule_id);
  }
  return { missing, changed };
}

async function removeOrphans(ctx: Ctx): Promise<string[]> {
  const there = await ctx.drivers.schedules.list(SCHEDULE_PREFIX);
  if (there.length === 0) return [];
  const ids = there.map((id) => id.slice(SCHEDULE_PREFIX.length));
  const wanted = await ctx
    .db('schedules')
    .whereIn('schedule_id', ids)
    .whereRaw(`(deleted_at is null or not ${longAgo('deleted_at', listedAfterSeconds)})`)
    .select('schedule_id');
  const known = new Set(wanted.map((row) => row.schedule_id));
  const orphans = ids.filter((id) => !known.has(id));
  for (const id of orphans) await ctx.drivers.schedules.remove(engineIdOf(id));
  return orphans;
}
