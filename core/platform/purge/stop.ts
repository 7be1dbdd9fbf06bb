// Before rows go, everything of the account that runs is stopped: agents, runs, deployments, schedules. What
// lies outside the database goes here too.
import { removeDatabase } from '../../agents/database/remove.ts';
import { deleteAgent } from '../../agents/agent/delete.ts';
import { sourceRepository } from '../../agents/agent/repository.ts';
import { openStates } from '../../jobs/model.ts';
import { transitionJob } from '../../jobs/transition.ts';
import { appendEvent } from '../../jobs/append-event.ts';
import type { Ctx, UserActor } from '../../kernel/ctx.ts';
import { requireNoHold } from '../../accounts/legal-hold.ts';
import { system, together } from '../../kernel/act.ts';
import { cancelWorkflow } from '../../outbox/messages.ts';
import { engineIdOf } from '../../conversation/schedule/model.ts';

interface Of {
  job_id: string;
  user_id: string;
}

/**
 * Stops what is open, and resolves with how much of it has not ended yet: call it again until that is none.
 */
export async function stopAccount(ctx: Ctx, { job_id, user_id }: Of): Promise<number> {
  const actor: UserActor = { kind: 'user', user_id, email: '', operator: false, via: 'bearer' };
  for (const agent of await ctx.db('agents').where({ owner_id: user_id }).whereNull('deleted_at').select('agent_id', 'name'))
    await removeAgent({ ...ctx, actor }, { job_id, user_id }, agent);
  for (const { project_id } of await ctx.db('database_projects').where({ owner_id: user_id }).whereNotIn('state', ['deleting', 'deleted']).select('project_id'))
    await removeDatabase({ ...ctx, actor }, { project_id, force: true });
  for (const { schedule_id } of await ctx.db('schedules').where({ owner_id: user_id }).select('schedule_id')) {
    // The row first: the sweeper would make it again.
    await ctx
      .db('schedules')
      .where({ schedule_id })
      .whereNull('deleted_at')
      .update({ deleted_at: new Date(ctx.clock()), version: ctx.db.raw('version + 1') });
    await ctx.drivers.schedules.remove(engineIdOf(schedule_id));
  }
  return cancelOpen(ctx, { job_id, user_id });
}

/** What goes with the agent at once is counted in the same transaction. */
async function removeAgent(ctx: Ctx, { job_id, user_id }: Of, { agent_id, name }: { agent_id: string; name: string }): Promise<void> {
  await together(ctx, async (ctx) => {
    await ctx.db('agents').where({ agent_id }).forUpdate().first('agent_id');
    const counts: [string, number][] = [];
    for (const table of ['agent_secrets', 'consumer_setup_values', 'installed_agents'] as const) {
      const [row] = await ctx.db(table).where({ agent_id }).count<{ count: number }[]>('* as count');
      counts.push([table, Number(row?.count ?? 0)]);
    }
    await deleteAgent(ctx, { name });
    for (const [table, count] of counts) if (count > 0) await appendEvent(ctx.db, job_id, 'purge.removed', { user_id, table, count });
  });
}

/** Of the account, and of others at its agents. */
async function cancelOpen(ctx: Ctx, { job_id, user_id }: Of): Promise<number> {
  const mine = ctx.db('agents').where({ owner_id: user_id }).select('agent_id');
  const open = await ctx
    .db('jobs')
    .where((either) => either.where({ owner_id: user_id }).orWhereIn('agent_id', mine.clone()))
    .whereIn('state', [...openStates])
    .whereNot({ job_id })
    .select('job_id', 'workflow_id');
  // The jobs' own ends are their record.
  await system(ctx, async (ctx) => {
    for (const { job_id: id, workflow_id } of open) {
      if (await ctx.db('job_events').where({ job_id: id, kind: 'job.cancel_requested' }).first('seq')) continue;
      await appendEvent(ctx.db, id, 'job.cancel_requested', { by: 'purge' });
      if (workflow_id !== null) await cancelWorkflow(ctx, workflow_id);
      else await transitionJob(ctx.db, id, { from: openStates, to: 'cancelled', error: { code: 'cancelled', message: 'The account was purged' } });
    }
  });
  const [running] = await ctx.db('instances').whereIn('agent_id', mine.clone()).whereNot({ state: 'stopped' }).count<{ count: number }[]>('* as count');
  const [dropping] = await ctx.db('database_projects').where({ owner_id: user_id }).whereNot({ state: 'deleted' }).count<{ count: number }[]>('* as count');
  return open.length + Number(running?.count ?? 0) + Number(dropping?.count ?? 0);
}

/**
 * Repositories, sources, archives, sandboxes, dev boxes, histories of workflows. Contents of files and
 * artifacts go a day after their last use, when no row refers to them (blob/sweep).
 */
export async function removeStored(ctx: Ctx, { job_id, user_id }: Of, beat: () => void): Promise<void> {
  const { db, drivers } = ctx;
  await requireNoHold(db, user_id);
  const agents = await db('agents').where({ owner_id: user_id }).select('agent_id', 'name');
  for (const { name } of agents) {
    await drivers.scm.remove(sourceRepository(user_id, name));
    beat();
  }
  const ids = agents.map(({ agent_id }) => agent_id);
  const sources = await db('deployments').whereIn('agent_id', ids).whereNot({ source_key: 'purged' }).distinct('source_key');
  const archives = await db('job_archives as a').join('jobs as j', 'j.job_id', 'a.job_id').where({ 'j.owner_id': user_id }).select('a.storage_key');
  for (const key of [...sources.map((row) => row.source_key), ...archives.map((row) => row.storage_key)]) {
    await drivers.storage.delete(key);
    beat();
  }
  for (const { sandbox_id } of await db('sandboxes').whereIn('agent_id', ids).orWhere({ scope: user_id }).select('sandbox_id')) {
    await drivers.sandbox?.remove(sandbox_id);
    beat();
  }
  for (const { box_id } of await db('dev_boxes').whereIn('agent_id', ids).orWhere({ owner_id: user_id }).select('box_id')) {
    await drivers.boxes?.remove(box_id);
    beat();
  }
  const histories = await drivers.workflows.forget(user_id, { beat });
  const counts = { repositories: agents.length, sources: sources.length, archives: archives.length, histories };
  if (Object.values(counts).some((count) => count > 0)) await appendEvent(db, job_id, 'purge.stored_removed', { user_id, ...counts });
}
