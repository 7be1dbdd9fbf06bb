import { act, done, unchanged } from '../../kernel/act.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { newId } from '../../kernel/ids.ts';
import { startWorkflow } from '../../outbox/messages.ts';
import { routeChanged } from '../route/changed.ts';
import { agentNamed } from './find.ts';

/**
 * The agent stops being reachable with the commit; its machines are stopped and its open deployments
 * cancelled right after.
 */
export async function deleteAgent(ctx: Ctx, i: { name: string }): Promise<void> {
  await act(ctx, 'agent.delete', agentNamed(i.name), async (ctx, { agent_id, owner_id }) => {
    const gone = await ctx
      .db('agents')
      .where({ agent_id })
      .whereNull('deleted_at')
      .update({ deleted_at: ctx.db.raw('now()'), updated_at: ctx.db.raw('now()'), live_deploy_id: null, visibility: 'unlisted' });
    // Another member of the account deleted it a moment ago.
    if (gone === 0) return unchanged(undefined);
    await ctx
      .db('deployments')
      .where({ agent_id, state: 'live' })
      .update({ state: 'superseded', ended_at: ctx.db.raw('now()') });
    await ctx
      .db('platform_tokens')
      .where({ agent_id, kind: 'agent_api' })
      .whereNull('revoked_at')
      .update({ revoked_at: ctx.db.raw('now()') });
    // All secrets of it are deleted now; housekeeping deletes its memory of users.
    for (const table of ['agent_connections', 'agent_imports', 'agent_secrets', 'consumer_setup_values', 'database_bindings', 'installed_agents'] as const)
      await ctx.db(table).where({ agent_id }).delete();
    await ctx.db('instances').where({ agent_id, state: 'serving' }).update({ state: 'draining' });
    for (const { deleted } of ctx.followers.agents) await deleted?.(ctx, { agent_id, name: i.name, owner_id });
    await startWorkflow(ctx, {
      type: 'retireAgent',
      workflowId: `retire:${agent_id}:${newId('req', ctx.clock())}`,
      taskQueue: 'control',
      args: [{ agent_id }],
      searchAttributes: { SvcKind: 'retire', SvcAgent: i.name, SvcOwner: owner_id },
    });
    await routeChanged(ctx.db, i.name);
    return done({ agent: agent_id }, { name: i.name });
  });
}
