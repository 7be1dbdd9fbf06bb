import type { z } from 'zod';
import type { JobOut } from '#contract/runs/work-ledger.ts';
import type { JobsRow } from '#db/tables.ts';
import { whereMay } from '../../kernel/policy.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { newestPage } from '../../kernel/keyset.ts';
import type { Page } from '../../kernel/page.ts';
import { presentJob } from './present.ts';

export interface ActivityIn {
  limit: number;
  cursor?: string | undefined;
  kind?: string | undefined;
  state?: string | undefined;
  /** By name. */
  agent?: string | undefined;
}

/** Jobs of the account, newest first. */
export async function listActivity(ctx: Ctx, i: ActivityIn): Promise<Page<z.infer<typeof JobOut>>> {
  const filters = Object.entries({ kind: i.kind, state: i.state, agent_name: i.agent }).filter(([, value]) => value !== undefined);
  const query = ctx.db('jobs').where(whereMay(ctx.actor, 'job.read')).where(Object.fromEntries(filters)).select<JobsRow[]>('*');
  return newestPage(query, ['created_at', 'job_id'], i, presentJob);
}
