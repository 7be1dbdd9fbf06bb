// Teams: a plan that can be started, a run under way with a gate that waits, and one that has ended and
// taught something.
import { TeamPlanIn } from '#contract/studio/collective-runtime.ts';
import { extractMemories } from '#core/studio/collective/memory.ts';
import { planTeam } from '#core/studio/collective/plan.ts';
import { startTeam } from '#core/studio/collective/run.ts';
import type { AreaRecords, Owner } from './area.ts';

export async function teamRecords({ ctx, agent }: Owner): Promise<AreaRecords> {
  const body = { goal: 'Greet everybody in the building', members: [{ role: 'worker', agent: agent.name, skill: 'greet' }] };
  const planned = () => planTeam(ctx, TeamPlanIn.parse(body));
  const [plan, shown, ended] = [await planned(), await startTeam(ctx, await planned()), await startTeam(ctx, await planned())];
  await ctx.db('dag_nodes').where({ dag_run_id: ended.dag_run_id }).update({ state: 'failed', error: '{"code":"x","message":"It did not answer"}', ended_at: new Date() }); // prettier-ignore
  await ctx.db('jobs').where({ job_id: ended.job_id }).update({ state: 'failed', error: '{"code":"step_failed","message":"Step 1 failed"}', ended_at: new Date() }); // prettier-ignore
  await extractMemories(ctx, ended);
  const params = {
    'collectiveRuntime.run.dag_run_id': shown.dag_run_id,
    'collectiveRuntime.advance.dag_run_id': ended.dag_run_id,
    'collectiveRuntime.approve.dag_run_id': shown.dag_run_id,
  };
  const calls = {
    'collectiveRuntime.plan': { body },
    'collectiveRuntime.start': { body: { plan_id: plan.plan_id } },
    'collectiveRuntime.extract': { body: { dag_run_id: ended.dag_run_id } },
  };
  return { params, calls };
}
