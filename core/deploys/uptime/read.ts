import type { z } from 'zod';
import type { AgentUptimeOut } from '#contract/deploys/agent-uptime.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { agentFor } from '../../agents/agent/find.ts';
import { RETENTION_MS } from './sweep.ts';

const MOST_CHANGES = 100;

/** Of an agent that is listed, for everyone. Does not wake it. */
export async function agentUptime(ctx: Ctx, { name }: { name: string }): Promise<z.infer<typeof AgentUptimeOut>> {
  const { agent_id } = await agentFor(ctx.db, ctx.actor, 'agent.uptime', name);
  const now = new Date(ctx.clock());
  const since = new Date(ctx.clock() - RETENTION_MS);
  const [hours, changes] = await Promise.all([
    ctx.db('agent_health_hours').where({ agent_id }).where('hour', '>', since).orderBy('hour').select('hour', 'looks', 'well'),
    ctx.db('agent_health_changes').where({ agent_id }).orderBy('at', 'desc').orderBy('change_id', 'desc').limit(MOST_CHANGES),
  ]);
  return {
    now: now.toISOString(),
    hours: hours.map(({ hour, looks, well }) => ({ hour: hour.toISOString(), looks, well })),
    changes: changes.map(({ at, is_well, reason }) => ({ at: at.toISOString(), is_well, reason })),
  };
}
