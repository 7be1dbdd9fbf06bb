// A planned team starts, once; a person opens its gates.
import { MICROS_OF_A_CENT } from '#contract/money/dollars.ts';
import type { TeamRunOut } from '#contract/studio/collective-runtime.ts';
import type { TeamPlansRow } from '#db/tables.ts';
import { act, done, unchanged } from '../../kernel/act.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { newId } from '../../kernel/ids.ts';
import { Conflict, NotFound } from '../../kernel/errors.ts';
import { requireUser } from '../../kernel/policy.ts';
import { advanceAtOnce } from '../../conversation/plan/advance-at-once.ts';
import { createPlan } from '../../conversation/plan/create.ts';
import { resolveWait } from '../../pauses/decision/resolve.ts';
import type { TeamSpec } from './plan.ts';
import { readTeamRun, teamRunFor } from './read.ts';

const TITLE = 80;

// Safe: only planTeam writes it, in this shape.
const specIn = (row: Pick<TeamPlansRow, 'spec'>): TeamSpec => row.spec as TeamSpec;

/**
 * The same plan again gives the same run. @throws NotFound team_plan_not_found; Conflict team_incomplete,
 * team_plan_stale
 */
export async function startTeam(ctx: Ctx, i: { plan_id: string }): Promise<TeamRunOut> {
  const dag_run_id = await act(ctx, 'team.run', requireUser, async (ctx, { user_id }) => {
    const plan = await ctx.db('team_plans').where({ plan_id: i.plan_id, owner_id: user_id }).forUpdate().first();
    const known = await ctx.db('team_runs').where({ plan_id: i.plan_id, owner_id: user_id }).first('dag_run_id');
    if (known) return unchanged(known.dag_run_id);
    if (!plan || plan.expires_at.getTime() <= ctx.clock())
      throw new NotFound('team_plan_not_found', `You have no plan ${i.plan_id} that can still be started: plan again`);
    const { plan: planned, nodes } = specIn(plan);
    if (planned.missing.length > 0) throw new Conflict('team_incomplete', `No agent was found for ${planned.missing.join(', ')}: name members, and plan again`);
    for (const { agent, deploy_id } of planned.members) {
      const live = await ctx.db('agents').where({ name: agent }).whereNull('deleted_at').first('live_deploy_id');
      if (live?.live_deploy_id !== deploy_id) throw new Conflict('team_plan_stale', `${agent} has another version now: plan again`);
    }
    const made = await createPlan(ctx, { ownerId: user_id, threadId: null, title: `Team: ${planned.goal.slice(0, TITLE)}`, planner: 'team', nodes });
    await ctx.db('team_runs').insert({
      dag_run_id: made.dag_run_id,
      owner_id: user_id,
      plan_id: i.plan_id,
      protocol: planned.protocol,
      goal: planned.goal,
      budget_micros: planned.budget_cents * MICROS_OF_A_CENT,
      replans_left: planned.replans,
      evidence: planned.required_evidence,
      created_at: new Date(ctx.clock()),
    });
    const after = { plan_id: i.plan_id, digest: plan.digest, protocol: planned.protocol };
    return done({ dag_run: made.dag_run_id }, after, made.dag_run_id);
  });
  return readTeamRun(ctx, { dag_run_id });
}

/** @throws NotFound team_run_not_found */
export async function advanceTeam(ctx: Ctx, i: { dag_run_id: string }): Promise<TeamRunOut> {
  await teamRunFor(ctx, ctx.db, 'team.run', i.dag_run_id);
  await advanceAtOnce({ ...ctx, actor: { kind: 'platform', service: 'teams' } }, i.dag_run_id);
  return readTeamRun(ctx, i);
}

/** @throws NotFound team_run_not_found; Conflict no_gate_waits, wait_resolved; Gone wait_over; Unavailable */
export async function decideGates(
  ctx: Ctx,
  i: { dag_run_id: string; number?: number | undefined; decision: 'approve' | 'deny'; reason: string },
): Promise<TeamRunOut> {
  await teamRunFor(ctx, ctx.db, 'team.approve', i.dag_run_id);
  const gates = await ctx
    .db('dag_nodes as n')
    .join('waits as w', 'w.wait_id', 'n.wait_id')
    .where({ 'n.dag_run_id': i.dag_run_id, 'n.state': 'asking', 'w.state': 'pending', ...(i.number === undefined ? {} : { 'n.number': i.number }) })
    .orderBy('n.number')
    .select('n.number', 'n.wait_id');
  if (gates.length === 0) throw new Conflict('no_gate_waits', `No gate${i.number === undefined ? '' : ` at step ${i.number}`} waits for you: read the run`);
  const decision = i.decision === 'approve' ? { decision: 'approved' as const } : { decision: 'denied' as const, reason: i.reason };
  for (const { wait_id } of gates)
    await resolveWait({ ...ctx, requestId: newId('req', ctx.clock()) }, { waitId: wait_id ?? '', kind: 'handoff_approval', decision });
  return readTeamRun(ctx, i);
}
