import type { z } from 'zod';
import type { ProvisionerStatusOut } from '#contract/agents/databases.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { requireUser } from '../../kernel/policy.ts';

const ALIVE_MS = 60_000;

export async function provisionerStatus(ctx: Ctx): Promise<z.infer<typeof ProvisionerStatusOut>> {
  requireUser(ctx, 'database.read');
  const workers = await ctx.db('database_provisioners').orderByRaw('heartbeat_at desc nulls last').limit(10);
  const { rows } = await ctx.db.raw<{ rows: [{ pending: number; deleting: number; oldest: number | null }] }>(
    `select count(*) filter (where state = 'pending')::int as pending, count(*) filter (where state = 'deleting')::int as deleting,
       floor(extract(epoch from now() - min(updated_at) filter (where state = 'pending')))::int as oldest
     from database_branches where state in ('pending', 'deleting')`,
  );
  const [newest] = workers;
  const [{ pending, deleting, oldest }] = rows;
  const beat = newest?.heartbeat_at ?? null;
  return {
    served: beat !== null,
    healthy: beat !== null && ctx.clock() - beat.getTime() < ALIVE_MS,
    heartbeat_at: beat?.toISOString() ?? null,
    server_version: newest?.server_version ?? null,
    error: workers.find(({ error }) => error !== null)?.error ?? null,
    pending,
    deleting,
    oldest_pending_seconds: oldest === null ? null : Math.max(0, oldest),
  };
}
