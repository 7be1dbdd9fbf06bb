// A review loop of an agent, for who may see it.
import type { Knex } from 'knex';
import type { ReviewLoopsRow } from '#db/tables.ts';
import { agentFor } from '../../agents/agent/find.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { NotFound } from '../../kernel/errors.ts';
import { whereMay } from '../../kernel/policy.ts';
import type { JobState } from '../../jobs/model.ts';

export type LoopView = ReviewLoopsRow & { agent_name: string; version: string | null; state: JobState; error: unknown };

/** Loops with their agent's name, the version they challenge, and their job's state. */
export function loopRows(db: Knex): Knex.QueryBuilder<object, LoopView[]> {
  // Safe: these are the columns of LoopView.
  return db('review_loops as l')
    .join('agents as a', 'a.agent_id', 'l.agent_id')
    .join('deployments as d', 'd.deploy_id', 'l.deploy_id')
    .join('jobs as j', 'j.job_id', 'l.job_id')
    .select('l.*', 'a.name as agent_name', 'd.version', 'j.state', 'j.error') as unknown as Knex.QueryBuilder<object, LoopView[]>;
}

/** Of an agent of the actor's. @throws NotFound agent_not_found, review_loop_not_found */
export async function ownedLoop(ctx: Ctx, action: 'review_loop.read' | 'review_loop.stop', i: { name: string; job_id: string }): Promise<LoopView> {
  const { agent_id } = await agentFor(ctx.db, ctx.actor, action, i.name);
  const [row] = await loopRows(ctx.db).where({ 'l.agent_id': agent_id, 'l.job_id': i.job_id });
  if (!row) throw notFound(i);
  return row;
}

/**
 * One that the actor may post events to: its owner, and the run that reviews it. @throws NotFound
 * review_loop_not_found
 */
export async function postableLoop(ctx: Ctx, i: { name: string; job_id: string }): Promise<LoopView> {
  const mine = whereMay(ctx.actor, 'review_loop.event', { owner: 'l.owner_id', run: 'l.reviewer_run_id' });
  const [row] = await loopRows(ctx.db).where({ 'a.name': i.name, 'l.job_id': i.job_id }).whereNull('a.deleted_at').where(mine);
  if (!row) throw notFound(i);
  return row;
}

const notFound = (i: { name: string; job_id: string }): NotFound =>
  new NotFound('review_loop_not_found', `${i.name} has no review loop ${i.job_id} of yours: list its review loops`);
