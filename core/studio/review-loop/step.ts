// The next steps of a review loop, for a limited time. Its progress is only in its rows: after a crash
// another process continues with the same probe.
import { MICROS_OF_A_CENT } from '#contract/money/dollars.ts';
import type { ReviewLoopsRow } from '#db/tables.ts';
import { appendEvent } from '../../jobs/append-event.ts';
import { type Advanced, markRunning } from '../../jobs/long-work.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { DomainError, faultOf, type Fault } from '../../kernel/errors.ts';
import { storableJson } from '../../kernel/storable.ts';
import { system } from '../../kernel/act.ts';
import { deadlinePassed, endLoop } from './end.ts';
import { loopScope, specOf, type Scope } from './model.ts';
import { planRound } from './plan.ts';
import { runProbe } from './probe.ts';
import { proposeCalls } from './propose.ts';
import { consultReviewer } from './reviewer.ts';
import { newScope, plant } from './scope.ts';
import { loopSpending } from './spent.ts';
import { openTarget, type LoopTarget } from './target.ts';

const WORK_MS = 20_000;

export async function advanceLoop(ctx: Ctx, jobId: string, signal: AbortSignal): Promise<Advanced> {
  const until = performance.now() + WORK_MS;
  const scope = await begin(ctx, jobId);
  if (!scope) return 'ended';
  try {
    const agent = await ctx
      .db('review_loops as l')
      .join('agents as a', 'a.agent_id', 'l.agent_id')
      .where({ job_id: jobId })
      .first('a.name', 'l.owner_id', 'a.deleted_at');
    const target = await openTarget(ctx, agent?.owner_id ?? '', agent?.name ?? '', scope);
    await plant(target.ctx, target.route.agentName, scope, target.workspace);
    for (;;) {
      signal.throwIfAborted();
      const advanced = await once(ctx, jobId, target, signal);
      if (advanced !== 'again' || performance.now() >= until) return advanced;
    }
  } catch (error) {
    // The agent is gone, or its owner may not call it any more.
    if (!(error instanceof DomainError) || signal.aborted) throw error;
    return end(ctx, jobId, faultOf(error));
  }
}

/**
 * Undefined: it has ended. Stores the scope's name before it puts anything there, so that the end of the loop
 * can remove it.
 */
async function begin(ctx: Ctx, jobId: string): Promise<Scope | undefined> {
  return system(ctx, async (ctx) => {
    const loop = await ctx.db('review_loops').where({ job_id: jobId }).forUpdate().first();
    if (!loop || loop.ended_at !== null) return undefined;
    await markRunning(ctx.db, jobId);
    const known = loopScope(loop);
    if (known) return known;
    const scope = newScope();
    await ctx
      .db('review_loops')
      .where({ job_id: jobId })
      .update({ scope: storableJson(scope) });
    return scope;
  });
}

async function once(ctx: Ctx, jobId: string, target: LoopTarget, signal: AbortSignal): Promise<Advanced> {
  const loop = await ctx.db('review_loops').where({ job_id: jobId }).first();
  if (!loop || loop.ended_at !== null) return 'ended';
  const crossed = await crossedLimit(ctx, loop, target);
  if (crossed) return end(ctx, jobId, crossed);
  const probe = await ctx.db('review_probes').where({ job_id: jobId, state: 'planned' }).orderBy('number').first();
  if (probe) {
    const outcome = await runProbe(ctx, loop, probe, target, signal);
    if (!outcome?.down) return 'again';
    return end(ctx, jobId, {
      code: 'agent_down',
      message: 'The agent stopped answering ordinary calls: what was found until then is kept, and the rest was not tried',
    });
  }
  if (loop.iteration > 0) {
    if (await proposeCalls(ctx, loop, target, signal)) return 'again';
    const heard = await consultReviewer(ctx, loop, target);
    if (heard !== 'none') return heard === 'waits' ? 'waits' : 'again';
  }
  if (loop.iteration >= specOf(loop).iterations) return end(ctx, jobId);
  await system(ctx, async (ctx) => {
    const row = await ctx.db('review_loops').where({ job_id: jobId, iteration: loop.iteration }).whereNull('ended_at').forUpdate().first();
    if (!row) return;
    await appendEvent(ctx.db, jobId, 'round', { ...(await planRound(ctx.db, row, target)) });
  });
  return 'again';
}

async function crossedLimit(ctx: Ctx, loop: ReviewLoopsRow, { route }: LoopTarget): Promise<Fault | undefined> {
  const { budget_cents, deadline_seconds } = specOf(loop);
  if (ctx.clock() >= loop.deadline_at.getTime()) return deadlinePassed(deadline_seconds);
  const spent = await loopSpending(ctx.db, loop);
  if (spent > budget_cents * MICROS_OF_A_CENT)
    return {
      code: 'review_budget_spent',
      message: `Language models have cost ${(spent / MICROS_OF_A_CENT).toFixed(1)} of ${budget_cents} cents: start another loop with a larger budget`,
    };
  // Read once in a while, with the target: a version that came in between is another agent.
  const live = await ctx.db('agents').where({ agent_id: loop.agent_id }).first('live_deploy_id');
  if (live?.live_deploy_id === loop.deploy_id && route.deployId === loop.deploy_id) return undefined;
  return { code: 'version_changed', message: 'Another version became live meanwhile: start a review loop of that one' };
}

async function end(ctx: Ctx, jobId: string, fault?: Fault): Promise<Advanced> {
  await endLoop(ctx, jobId, fault);
  return 'ended';
}
