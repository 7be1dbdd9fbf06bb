// Counts the wakes of this host's machines by hour, day and month. An instance's row says up to which wake
// they are counted; it is changed with the counts.
import type { InstanceWake } from '#drivers/runtime/port.ts';
import { LATENCY_BOUNDS_MS } from '#contract/evidence/latency.ts';
import { system } from '../../kernel/act.ts';
import type { Ctx } from '../../kernel/ctx.ts';

export async function countWakes(ctx: Ctx, node: string): Promise<void> {
  const instances = await ctx.drivers.runtime.instances();
  const last = new Map(instances.flatMap(({ instance_id, wakes = [] }) => (wakes.length === 0 ? [] : [[instance_id, wakes] as const])));
  if (last.size === 0) return;
  const rows = await ctx
    .db('instances')
    .where({ node })
    .whereIn('instance_id', [...last.keys()])
    .select('instance_id', 'wakes_counted_to');
  for (const { instance_id, wakes_counted_to } of rows) {
    const wakes = last.get(instance_id) ?? [];
    if (wakes.some(({ at }) => at > (wakes_counted_to?.getTime() ?? 0))) await countOf(ctx, instance_id, wakes);
  }
}

function countOf(ctx: Ctx, instance_id: string, wakes: readonly InstanceWake[]): Promise<void> {
  return system(ctx, async (ctx) => {
    const row = await ctx.db('instances').where({ instance_id }).forUpdate().first('agent_id', 'wakes_counted_to');
    const to = row?.wakes_counted_to?.getTime() ?? 0;
    const fresh = wakes.filter(({ at }) => at > to);
    if (!row || fresh.length === 0) return;
    await ctx.db.raw(
      `insert into wake_counts as c (agent_id, grain, since, tier, bucket, wakes, wake_ms, slept_ms)
       select :agent_id, g.grain, date_trunc(g.grain, timestamptz 'epoch' + w.at * interval '1 millisecond', 'UTC'), w."from",
              width_bucket(w.ms, array[${LATENCY_BOUNDS_MS.join(', ')}]), count(*), sum(w.ms)::bigint, sum(w.slept_ms)::bigint
       from jsonb_to_recordset(:wakes::jsonb) w(at bigint, "from" text, ms integer, slept_ms bigint), (values ('hour'), ('day'), ('month')) g(grain) group by 1, 2, 3, 4, 5
       on conflict (agent_id, grain, since, tier, bucket) do update
         set wakes = c.wakes + excluded.wakes, wake_ms = c.wake_ms + excluded.wake_ms, slept_ms = c.slept_ms + excluded.slept_ms`,
      { agent_id: row.agent_id, wakes: JSON.stringify(fresh) },
    );
    await ctx
      .db('instances')
      .where({ instance_id })
      .update({ wakes_counted_to: new Date(Math.max(...fresh.map(({ at }) => at))) });
  });
}
