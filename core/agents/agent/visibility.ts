// Who sees an agent, and who may fork it.
import type { Knex } from 'knex';
import type { z } from 'zod';
import type { AgentMineOut } from '#contract/agents/agents.ts';
import type { AgentsRow } from '#db/tables.ts';
import { act, done } from '../../kernel/act.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { Conflict } from '../../kernel/errors.ts';
import { requireUser } from '../../kernel/policy.ts';
import { requireByRules, requireReleasable } from './may-deploy.ts';
import { agentFor, agentNamed } from './find.ts';
import { presentMine } from './present.ts';
import { routeChanged } from '../route/changed.ts';

type Mine = z.infer<typeof AgentMineOut>;

export async function setVisibility(ctx: Ctx, i: { name: string; visibility: 'public' | 'unlisted' }): Promise<Mine> {
  if (i.visibility === 'public') {
    const { user_id } = requireUser(ctx, 'agent.publish');
    await requireByRules(ctx, { accountId: user_id, name: i.name, actions: ['publish'] });
  }
  return change(ctx, i.name, 'agent.visibility', { visibility: i.visibility }, async (tx, agentId) => {
    if (i.visibility === 'public') await requireReleasable(tx, { agent_id: agentId, name: i.name, promotes: true });
    const moved = await tx('agents')
      .where({ agent_id: agentId })
      .whereNull('deleted_at')
      .modify((q) => void (i.visibility === 'public' && q.whereNotNull('live_deploy_id')))
      .update({ visibility: i.visibility, updated_at: tx.raw('now()') });
    if (moved === 0) throw new Conflict('not_live', `${i.name} has never been live: deploy it, then publish it`);
    await routeChanged(tx, i.name);
  });
}

/** Whether others than its owner may take its source. */
export const isForkable = ({ reuse_policy, visibility }: Pick<AgentsRow, 'reuse_policy' | 'visibility'>): boolean =>
  reuse_policy === 'forkable' && visibility === 'public';

export async function setReusePolicy(ctx: Ctx, i: { name: string; reuse_policy: 'closed' | 'forkable' }): Promise<Mine> {
  return change(ctx, i.name, 'agent.reuse_policy', { reuse_policy: i.reuse_policy }, async (tx, agentId) => {
    await tx('agents')
      .where({ agent_id: agentId })
      .update({ reuse_policy: i.reuse_policy, updated_at: tx.raw('now()') });
  });
}

async function change(
  ctx: Ctx,
  name: string,
  action: 'agent.visibility' | 'agent.reuse_policy',
  details: Record<string, unknown>,
  work: (tx: Knex.Transaction, agentId: string) => Promise<void>,
): Promise<Mine> {
  return act(ctx, action, agentNamed(name), async (ctx, { agent_id }) => {
    await work(ctx.db, agent_id);
    return done({ agent: agent_id }, details, presentMine(ctx.config, await agentFor(ctx.db, ctx.actor, action, name)));
  });
}
