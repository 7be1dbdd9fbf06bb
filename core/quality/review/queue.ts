// A review begins when a deployment has gone live, in the same transaction, and then runs on its own: no
// deploy waits for one.
import type { DeploymentsRow } from '#db/tables.ts';
import { beginWork } from '../../jobs/long-work.ts';
import type { TxCtx } from '../../kernel/ctx.ts';
import { newId } from '../../kernel/ids.ts';
import { setting } from '../../kernel/settings.ts';

export async function queueReview(ctx: TxCtx, agent: { name: string; owner_id: string }, row: DeploymentsRow): Promise<void> {
  const review_id = newId('rev', ctx.clock());
  const facts = { review_id, agent_id: row.agent_id, deploy_id: row.deploy_id, ref: row.source_commit };
  if ((await setting(ctx.db, 'reviewer_enabled')) === 0) {
    await ctx
      .db('review_runs')
      .insert({ ...facts, state: 'skipped', summary: 'Reviews are switched off on this installation', ended_at: new Date(ctx.clock()) })
      .onConflict('deploy_id')
      .ignore();
    return;
  }
  const job_id = await beginWork(ctx, {
    kind: 'review',
    title: `Review ${agent.name} ${row.version ?? ''}`.trimEnd(),
    ownerId: agent.owner_id,
    agent: { id: row.agent_id, name: agent.name },
    workflowId: `review:${row.deploy_id}`,
    workflow: { type: 'reviewAgent', input: () => ({ review_id }) },
    input: { review_id, deploy_id: row.deploy_id },
  });
  await ctx.db('review_runs').insert({ ...facts, job_id, state: 'queued' });
}
