import type { z } from 'zod';
import type { AgentAccountAccessOut } from '#contract/money/account-access.ts';
import { agentFor } from '../../agents/agent/find.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { requireUser } from '../../kernel/policy.ts';
import { fundedCalls } from './funded.ts';
import { hasOwnModel, setupUrl } from './take.ts';

export async function getAccountAccess(ctx: Ctx, i: { name: string }): Promise<z.infer<typeof AgentAccountAccessOut>> {
  const { db, config } = ctx;
  const { user_id } = requireUser(ctx, 'account_access.read');
  const { agent_id, live_deploy_id } = await agentFor(db, ctx.actor, 'account_access.read', i.name);
  const live = await db('deployments')
    .where({ deploy_id: live_deploy_id ?? '' })
    .first<{ required: boolean | null }>(db.raw(`manifest->'account_access'->'required' = 'true' as required`));
  const row = await db('account_access').where({ user_id, agent_id }).first('used');
  const [funded, used] = [await fundedCalls(db, user_id, ctx.clock()), row?.used ?? 0];
  return {
    required: live?.required ?? false,
    platform_skill_calls: funded,
    used,
    remaining: Math.max(0, funded - used),
    after_trial: 'byok',
    has_byok: await hasOwnModel(db, user_id),
    setup_url: setupUrl(config),
  };
}
