// Removes a stage: its machine, then its account with everything in it. Each step may come twice.
import type { Ctx } from '../../../kernel/ctx.ts';
import { newId } from '../../../kernel/ids.ts';
import { longAgo } from '../../../kernel/lease.ts';
import { system } from '../../../kernel/act.ts';
import { markStopped } from '../../../deploys/deployment/instance.ts';
import { rehearsalSpending } from '../budget.ts';
import { startWorkflow } from '../../../outbox/messages.ts';
import { STAGE_ISSUER } from './model.ts';

/** How accounts are removed. The area that does it comes after this one, so it is handed in. */
export interface AccountRemoval {
  /** Stops what is open; resolves with how much is not over yet. */
  stop(of: { job_id: string; user_id: string }): Promise<number>;
  removeStored(of: { job_id: string; user_id: string }): Promise<void>;
  removeRows(of: { job_id: string; user_id: string }): Promise<void>;
}

/** On the host of the machine. */
export async function stopStage(ctx: Ctx, jobId: string): Promise<void> {
  const userId = await stageUser(ctx, jobId);
  if (userId === undefined) return;
  const machines = await ctx
    .db('instances as i')
    .join('agents as a', 'a.agent_id', 'i.agent_id')
    .where({ 'a.owner_id': userId })
    .whereNot({ 'i.state': 'stopped' })
    .pluck('i.instance_id');
  for (const id of machines) {
    await ctx.drivers.runtime.stop(id);
    await markStopped(ctx.db, id);
  }
}

/** Resolves with how much is still open: call it again until that is none. */
export async function closeStage(ctx: Ctx, jobId: string, removal: AccountRemoval): Promise<number> {
  const user_id = await stageUser(ctx, jobId);
  if (user_id === undefined) return 0;
  const of = { job_id: jobId, user_id };
  const open = await removal.stop(of);
  if (open > 0) return open;
  const row = await ctx.db('protocol_simulations').where({ job_id: jobId }).first('stage_user_id', 'stage_removed_at', 'spent_micros');
  const spent = row ? await rehearsalSpending(ctx.db, row) : 0;
  await removal.removeStored(of);
  await removal.removeRows(of);
  // Nothing is left that an audit row would be about: the rehearsal says that its stage was removed.
  await system(ctx, async (ctx) => {
    const agents = ctx.db('agents').where({ owner_id: user_id }).select('agent_id');
    for (const table of ['deployments', 'receipt_chains'] as const) await ctx.db(table).whereIn('agent_id', agents.clone()).delete();
    await ctx.db('jobs').where({ owner_id: user_id }).delete();
    await ctx.db('agents').where({ owner_id: user_id }).delete();
    await ctx.db('audit_log').where({ owner_id: user_id }).delete();
    await ctx.db('users').where({ user_id, issuer: STAGE_ISSUER }).delete();
    await ctx
      .db('protocol_simulations')
      .where({ job_id: jobId })
      .update({ stage_removed_at: new Date(ctx.clock()), spent_micros: spent });
  });
  return 0;
}

/** Never any other account, whatever the row says. */
async function stageUser({ db }: Ctx, jobId: string): Promise<string | undefined> {
  const row = await db('protocol_simulations as s')
    .join('users as u', 'u.user_id', 's.stage_user_id')
    .where({ 's.job_id': jobId, 'u.issuer': STAGE_ISSUER, 'u.subject': jobId })
    .whereNull('s.stage_removed_at')
    .first('u.user_id');
  return row?.user_id;
}

/** A stage that outlived its workflow is removed by another one. */
export async function sweepStages(ctx: Ctx): Promise<string[]> {
  const left = await ctx
    .db('protocol_simulations')
    .whereNotNull('stage_user_id')
    .whereNull('stage_removed_at')
    .whereRaw(longAgo('ended_at', 300))
    .limit(20)
    .select('job_id', 'owner_id');
  for (const { job_id, owner_id } of left) {
    await system(ctx, (ctx) =>
      startWorkflow(ctx, {
        type: 'rehearse',
        workflowId: `rehearsal-stage:${job_id}:${newId('req', ctx.clock())}`,
        taskQueue: 'control',
        args: [{ job_id }],
        searchAttributes: { SvcKind: 'protocol_simulation', SvcOwner: owner_id, SvcJob: job_id },
      }),
    );
  }
  return left.map(({ job_id }) => job_id);
}
