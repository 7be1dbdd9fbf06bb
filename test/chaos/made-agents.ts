// The studio makes an agent of a brief by a recipe: written, checked, reviewed by rules, deployed only for
// its owner, through whatever is killed.
import type { Outcome } from './operations.ts';
import { until } from './persistent.ts';
import type { Chance } from './random.ts';
import { begun, cancelledSometimes, ended } from './studio.ts';
import { eventually, remove, rows } from './ways-in.ts';
import type { World } from './world.ts';

/** One run, one commit, one deployment of it; the agent answers. */
export async function made(world: World, outcome: Outcome, chance: Chance): Promise<void> {
  const { agentStudio, agents } = world.api;
  const name = `made-${outcome.token}`;
  const brief = {
    name,
    goal: 'Collect the names of guests with a form and keep each as a record',
    recipe: 'form_to_record' as const,
    inputs: { title: outcome.token, fields: [{ name: 'guest', label: 'Guest' }] },
    review: 'light' as const,
    account_trial_calls: false,
  };
  const find = async () => (await agentStudio.list({ query: { limit: 100 } })).items.find((one) => one.name === name);
  const jobId = await begun(
    'make an agent',
    async () => (await find())?.job_id ?? undefined,
    async () => ({ job_id: (await agentStudio.start({ body: { brief, decision: 'build_new' } })).job_id ?? '' }),
  );
  const isCancelled = await cancelledSometimes(world, [jobId], chance);
  const state = await ended(world, outcome, jobId);
  if (state === 'cancelled' && !isCancelled) outcome.faults.push('a run of the studio was cancelled that nobody cancelled');
  const run = await until('look at a run of the studio', find);
  outcome.state = `studio ${state}`;
  if (!run) return void outcome.faults.push('a run of the studio is gone');
  if ((run.state === 'live') !== (state === 'succeeded')) outcome.faults.push(`its job ${state}, the run is ${run.state}`);
  if (state === 'succeeded') {
    const counted = await rows(
      world,
      `select count(*)::int as deployments, count(*) filter (where d.state = 'live')::int as live, count(distinct d.source_commit)::int as commits
       from deployments d join agents a using (agent_id) where a.name = $1`,
      [name],
    );
    const once = JSON.stringify([{ deployments: 1, live: 1, commits: 1 }]);
    if (JSON.stringify(counted) !== once || run.iterations.length !== 1)
      outcome.faults.push(`an agent is there as ${JSON.stringify(counted)} of ${JSON.stringify(run.iterations)}`);
    await eventually('call an agent of the studio', async () => {
      const answer = await agents
        .invoke({ params: { name, skill_name: 'check' }, body: { guest: outcome.token } }, { signal: AbortSignal.timeout(30_000) })
        .catch(() => undefined);
      return (await answer?.text().catch(() => undefined))?.includes(outcome.token) === true ? true : undefined;
    });
  }
  await remove(world, name);
}

/** What the tables must say at any time, by what it would be. */
export const madeQueries: Record<string, string> = {
  'runs of the studio and jobs that disagree': `select s.run_id as id from studio_runs s join jobs j using (job_id)
     where (s.ended_at is null) <> (j.ended_at is null) or (s.ended_at is not null and (s.state in ('live', 'partial')) <> (j.state = 'succeeded'))`,
  'runs of the studio that have ended and hold an image': `select run_id as id from studio_runs where ended_at is not null and built is not null`,
  'runs of the studio with more deployments than iterations': `select s.run_id as id from studio_runs s join agents a on a.owner_id = s.owner_id and a.name = s.brief->>'name'
     join deployments d using (agent_id) group by s.run_id having count(*) > (select count(*) from studio_iterations i where i.run_id = s.run_id)`,
  'commits of the studio that were deployed twice': `select a.name || ' ' || d.source_commit as id from deployments d join agents a using (agent_id)
     where a.name like 'made-%' group by 1 having count(*) > 1`,
  'agents that the studio made twice': `select s.brief->>'name' as id from studio_runs s group by s.owner_id, 1 having count(*) > 1`,
  'steps of the studio that were done twice': `select e.job_id || ' ' || (e.payload->>'phase') as id from job_events e join studio_runs s using (job_id)
     where e.kind = 'studio.step' and s.model is null and e.payload->>'phase' in ('building', 'live') group by e.job_id, e.payload->>'phase' having count(*) > 1`,
};
