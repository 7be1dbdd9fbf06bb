import type { PolicyDenialOut } from '#contract/overview/control-room.ts';
import type { PolicyDenialsRow } from '#db/tables.ts';
import type { PolicyAction } from '#contract/states.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { newestPage } from '../../kernel/keyset.ts';
import type { Page } from '../../kernel/page.ts';
import { whereMay } from '../../kernel/policy.ts';
import { presentDenial } from './present.ts';

interface DenialsIn {
  limit: number;
  cursor?: string | undefined;
  action?: PolicyAction | undefined;
  agent?: string | undefined;
  run_id?: string | undefined;
}

/** Newest first. */
export async function listDenials(ctx: Ctx, i: DenialsIn): Promise<Page<PolicyDenialOut>> {
  const only = { action: i.action, agent_name: i.agent, run_id: i.run_id };
  const query = ctx
    .db('policy_denials')
    .where(whereMay(ctx.actor, 'control_room.read', { owner: 'user_id' }))
    .where(Object.fromEntries(Object.entries(only).filter(([, value]) => value !== undefined)))
    .select<PolicyDenialsRow[]>('*');
  return newestPage(query, ['created_at', 'denial_id'], i, presentDenial);
}
