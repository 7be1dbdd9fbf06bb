import type { Ctx } from '../../kernel/ctx.ts';

export const RETENTION_MS = 30 * 24 * 3_600_000;
/** A pass is bounded; the next one continues. */
const BATCH = 5_000;

/** The newest change of an agent stays: it says how the agent is. Resolves with how many rows went. */
export async function sweepUptime(ctx: Ctx): Promise<number> {
  const before = new Date(ctx.clock() - RETENTION_MS);
  const hours = await ctx.db.raw<{ rowCount: number }>(
    `delete from agent_health_hours where (agent_id, hour) in (select agent_id, hour from agent_health_hours where hour < :before limit ${BATCH})`,
    { before },
  );
  const changes = await ctx.db.raw<{ rowCount: number }>(
    `delete from agent_health_changes where change_id in (
       select change_id from agent_health_changes c where at < :before
         and exists (select 1 from agent_health_changes n where n.agent_id = c.agent_id and (n.at, n.change_id) > (c.at, c.change_id)) limit ${BATCH})`,
    { before },
  );
  return hours.rowCount + changes.rowCount;
}
