// What agents say of their own health, as the host heard it, on their rows: shown where agents are listed,
// each change in the audit log.
import { system } from '../../kernel/act.ts';
import { audit } from '../../kernel/audit.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { storableText } from '../../kernel/storable.ts';
import { noteFailure } from '../../agents/agent/note-failure.ts';
import { type UptimeCheck, noteLooks } from '../uptime/note.ts';

const COUNTED_SECONDS = 55;

/** Resolves with the names of agents whose health changed. */
export async function noteHealth(ctx: Ctx, node: string): Promise<string[]> {
  const instances = await ctx.drivers.runtime.instances();
  // A reason is the agent's word: one that the database refuses would keep the health of all others from
  // being noted.
  const unwell = new Map(instances.map(({ instance_id, unwell: is }) => [instance_id, is && { ...is, reason: storableText(is.reason) }]));
  const rows = await ctx
    .db('instances as i')
    .join('agents as a', 'a.agent_id', 'i.agent_id')
    .where({ 'i.node': node, 'i.state': 'serving' })
    .select<{ instance_id: string; deploy_id: string; agent_id: string; name: string; unwell_reason: string | null }[]>(
      'i.instance_id',
      'i.deploy_id',
      'a.agent_id',
      'a.name',
      'i.unwell_reason',
    );
  const dead = new Set(instances.filter(({ tier }) => tier === 'failed').map(({ instance_id }) => instance_id));
  for (const { instance_id, deploy_id } of rows) {
    const code = dead.has(instance_id) ? 'instance_failed' : unwell.get(instance_id) ? 'unwell' : undefined;
    if (code !== undefined) await noteFailure(ctx.db, deploy_id, code, { everySeconds: 60 });
  }
  await noteLooks(ctx.db, looksAt(rows, dead, unwell), new Date(ctx.clock()), COUNTED_SECONDS);
  const changed = rows.filter((row) => (unwell.get(row.instance_id)?.reason ?? null) !== row.unwell_reason);
  for (const { instance_id, agent_id, name, unwell_reason } of changed) {
    const now = unwell.get(instance_id);
    await system(ctx, async (ctx) => {
      const moved = await ctx
        .db('instances')
        .where({ instance_id, state: 'serving' })
        .whereRaw('unwell_reason is not distinct from ?', [unwell_reason])
        .update({ unwell_reason: now?.reason ?? null, unwell_since: now ? new Date(now.since) : null });
      if (moved > 0)
        await audit(ctx, now ? 'agent.out_of_service' : 'agent.back_in_service', { agent: agent_id }, { name, ...(now && { reason: now.reason }) });
    });
  }
  return changed.map(({ name }) => name);
}

/** One for each agent: one of its instances that is well is enough. */
function looksAt(
  rows: readonly { instance_id: string; agent_id: string }[],
  dead: ReadonlySet<string>,
  unwell: ReadonlyMap<string, { reason: string } | undefined>,
): UptimeCheck[] {
  const looks = new Map<string, string | null>();
  for (const { instance_id, agent_id } of rows) {
    const reason = dead.has(instance_id) ? 'Its machine ended.' : (unwell.get(instance_id)?.reason ?? null);
    looks.set(agent_id, looks.get(agent_id) === null ? null : reason);
  }
  return Array.from(looks, ([agent_id, reason]) => ({ agent_id, reason }));
}
