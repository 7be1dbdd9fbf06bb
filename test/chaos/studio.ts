// Work of the studio: a challenge, a rehearsal, a simulation, a comparison of variants. Their starts have no
// keys: each is found again by a word of its own, its seed or its title, where the answer to its start was
// lost.
import { setTimeout as sleep } from 'node:timers/promises';
import { simulate } from '#contract/studio/simulation/run.ts';
import { templateOf } from '#contract/studio/simulation/templates.ts';
import type { Outcome } from './operations.ts';
import { until } from './persistent.ts';
import type { Chance } from './random.ts';
import { eventually, rows, unless } from './ways-in.ts';
import { AGENTS, type World } from './world.ts';

const MAX_SEED = 2_000_000_000;
/** How many agents, and how often others may be in the way. */
export const PATIENCE_MS = 480_000;

/** 409: another of its kind is under way, or this one was begun by a request whose answer was lost. */
export async function begun(what: string, find: () => Promise<string | undefined>, start: () => Promise<{ job_id: string }>): Promise<string> {
  const look = async (): Promise<string | undefined> => {
    const known = await find();
    if (known !== undefined) return known;
    return (await unless(409, start))?.job_id;
  };
  return eventually(what, look, PATIENCE_MS);
}

/** What a job came to. */
export async function ended(world: World, outcome: Outcome, jobId: string): Promise<string> {
  const job = await eventually(
    `the end of ${jobId}`,
    async () => {
      const found = await world.api.workLedger.get({ params: { job_id: jobId } });
      return found.ended_at === null ? undefined : found;
    },
    PATIENCE_MS,
  );
  if (job.error) outcome.error = `${job.error.code}: ${job.error.message.slice(0, 200)}`;
  return job.state;
}

/** One of four is cancelled somewhere in its middle. False: it goes on. 409: it had ended. */
export async function cancelledSometimes(world: World, jobIds: readonly string[], chance: Chance): Promise<boolean> {
  const [isCancelled, afterMs] = [chance.number() < 0.25, chance.between(0, 4_000)];
  if (!isCancelled) return false;
  await sleep(afterMs);
  await Promise.all(jobIds.map((job_id) => until('cancel a job', () => unless(409, () => world.api.workLedger.cancel({ params: { job_id } })))));
  return true;
}

/** One round of all its attacks on a skill without effects, with the model and a reviewer. */
export async function reviewed(world: World, outcome: Outcome, chance: Chance): Promise<void> {
  const { adversarialReviewLoops: loops } = world.api;
  const params = { name: outcome.agent };
  const seed = chance.between(1, MAX_SEED);
  const reviewer = AGENTS.find((name) => name !== outcome.agent) ?? outcome.agent;
  const jobId = await begun(
    'challenge',
    async () => (await loops.list({ params, query: { limit: 100 } })).items.find((one) => one.seed === seed)?.job_id,
    () => loops.create({ params, body: { skills: ['echo'], iterations: 1, budget_cents: 50, deadline_seconds: 900, reviewer, seed } }),
  );
  outcome.state = `review ${await ended(world, outcome, jobId)}`;
  const loop = await until('look at a challenge', () => loops.get({ params: { ...params, job_id: jobId } }));
  if (outcome.state === 'review succeeded' && loop.probes.done !== loop.probes.planned) outcome.faults.push(`ended with probes ${JSON.stringify(loop.probes)}`);
  if (loop.spent_micros > 50 * 10_000) outcome.faults.push(`spent ${loop.spent_micros} of 500000 micros`);
}

const SUITE = {
  scenarios: [
    {
      scenario: 'scopes',
      title: 'Scopes',
      summary: 'A child of a grant is no wider than its parent',
      rules: {
        narrower: 'A child within its parent is accepted',
        not_wider: 'A child is never wider than its parent',
      },
      steps: [
        { do: 'mint' as const, as: 'parent', allow: ['docs/**'] },
        { do: 'delegate' as const, from: 'parent', as: 'child', allow: ['docs/public/**'], rule: 'narrower' },
        { do: 'delegate' as const, from: 'parent', as: 'wider', allow: ['docs/**', 'ledger/**'], expect: 'refused' as const, rule: 'not_wider' },
        { do: 'call' as const, skill: 'echo', args: 'sample' as const, expect: 'asked' as const, rule: 'narrower' },
      ],
    },
    {
      scenario: 'keys',
      title: 'Keys',
      summary: 'One key is one run',
      rules: { one_run: 'Two requests with one key are one run', one_receipt: 'The run ends with one receipt' },
      steps: [
        { do: 'start_run' as const, as: 'first', skill: 'echo', args: { text: 'once', count: 2 }, key: 'again' },
        { do: 'start_run' as const, as: 'second', skill: 'echo', args: { text: 'once', count: 2 }, key: 'again', rule: 'one_run', facts: { existing: true } },
        { do: 'same_run' as const, one: 'first', other: 'second', rule: 'one_run' },
        { do: 'end_run' as const, run: 'first', rule: 'one_receipt', facts: { receipts: 1 } },
      ],
    },
  ],
};

/**
 * The digest of a seed, by what was rehearsed first: the same agent with the same suite comes to the same.
 */
const digests = new WeakMap<World, Map<string, string>>();

export async function rehearsed(world: World, outcome: Outcome, chance: Chance): Promise<void> {
  const { protocolSimulations: rehearsals } = world.api;
  const params = { name: outcome.agent };
  // A few seeds, so that the same comes again; which rehearsal is this one says its time to live.
  const seed = chance.between(1, 3);
  const ttl_seconds = chance.between(600, 3_600);
  const jobId = await begun(
    'rehearse',
    async () => (await rehearsals.list({ params, query: { limit: 100 } })).items.find((one) => one.ttl_seconds === ttl_seconds && one.seed === seed)?.job_id,
    () => rehearsals.customRun({ params, body: { suite: SUITE, seed, ttl_seconds } }),
  );
  await ended(world, outcome, jobId);
  const rehearsal = await until('look at a rehearsal', () => rehearsals.get({ params: { ...params, job_id: jobId } }));
  outcome.state = `rehearsal ${rehearsal.verdict ?? rehearsal.state}`;
  if (rehearsal.verdict !== 'passed')
    outcome.error ??= JSON.stringify(rehearsal.scenarios.map(({ scenario, state, reason, broken }) => ({ scenario, state, reason, broken }))).slice(0, 600);
  if (!rehearsal.stage_removed) outcome.faults.push('a rehearsal has ended and its stage is there');
  if (rehearsal.verdict !== 'passed') return;
  const known = digests.get(world) ?? new Map<string, string>();
  digests.set(world, known.set(`${seed}`, known.get(`${seed}`) ?? rehearsal.digest ?? ''));
  if (known.get(`${seed}`) !== rehearsal.digest) outcome.faults.push(`seed ${seed} came to ${known.get(`${seed}`)} and to ${rehearsal.digest}`);
}

/**
 * A world without agents comes to the digests that the engine comes to here; one in which an agent takes
 * turns repeats itself from its answers.
 */
export async function simulated(world: World, outcome: Outcome, chance: Chance): Promise<void> {
  const { kernelSimulations: runs } = world.api;
  const seed = chance.between(1, MAX_SEED);
  const market = templateOf('creator-market')?.spec;
  if (!market) throw new Error('no such template');
  const hybrid = chance.number() < 0.5;
  const agent = { name: outcome.agent, skill: 'echo', args: { text: outcome.token, count: 3 } };
  const spec = hybrid ? { ...market, actors: market.actors.map((actor, at) => (at === 0 ? { ...actor, agent } : actor)) } : market;
  const body = { spec, seed, title: outcome.token, ...(hybrid && { execution_mode: 'hybrid' as const, calls: 3 }) };
  const find = async () => (await runs.list({ query: { limit: 200 } })).items.find(({ title, replay }) => title === outcome.token && replay === null)?.job_id;
  const jobId = await begun('simulate', find, () => runs.start({ body }));
  outcome.state = `simulation ${await ended(world, outcome, jobId)}`;
  if (outcome.state !== 'simulation succeeded') return;
  const first = await until('look at a simulation', () => runs.get({ params: { job_id: jobId } }));
  if (!hybrid && JSON.stringify(first.digests) !== JSON.stringify((await simulate({ spec, seed })).digests))
    outcome.faults.push('came to other digests than the engine here');
  if (first.calls.some(({ state }) => state === 'running')) outcome.faults.push(`ended with calls ${JSON.stringify(first.calls)}`);
  const called = await rows<{ runs: number; receipts: number }>(
    world,
    `select count(*)::int as runs, count(c.receipt_id)::int as receipts from runs r join jobs j using (job_id) left join receipts c on c.run_id = r.run_id where j.parent_job_id = $1`,
    [jobId],
  );
  const once = JSON.stringify([{ runs: first.calls.length, receipts: first.calls.length }]);
  if (JSON.stringify(called) !== once) outcome.faults.push(`${first.calls.length} calls are there as ${JSON.stringify(called)}`);
  await replayed(world, outcome, jobId, async () => runs.replay({ params: { job_id: jobId } }));
}

export async function evolved(world: World, outcome: Outcome, chance: Chance): Promise<void> {
  const { kernelEvolution: runs } = world.api;
  const body = { template: 'creator-market' as const, seed: chance.between(1, MAX_SEED), variant_count: 3, seeds: 8, title: outcome.token };
  const find = async () => (await runs.list({ query: { limit: 200 } })).items.find(({ title, replay }) => title === outcome.token && replay === null)?.job_id;
  const jobId = await begun('compare', find, () => runs.start({ body }));
  outcome.state = `evolution ${await ended(world, outcome, jobId)}`;
  if (outcome.state !== 'evolution succeeded') return;
  await replayed(world, outcome, jobId, async () => runs.replay({ params: { job_id: jobId } }));
}

/** A replay fails where one digest differs. */
async function replayed(world: World, outcome: Outcome, jobId: string, start: () => Promise<{ job_id: string }>): Promise<void> {
  const find = async () => (await rows<{ job_id: string }>(world, 'select job_id from kernel_runs where replay_of = $1', [jobId]))[0]?.job_id;
  const replay = await begun('replay', find, start);
  const state = await ended(world, outcome, replay);
  if (state !== 'succeeded') outcome.state = `replay ${state}`;
}

/** What the tables must say at any time, by what it would be. */
export const studioQueries: Record<string, string> = {
  'challenges and jobs that disagree': `select l.job_id as id from review_loops l join jobs j using (job_id) where (l.ended_at is null) <> (j.ended_at is null)`,
  'probes that were told twice': `select e.job_id || ' ' || (e.payload->>'number') as id from job_events e join review_loops l using (job_id) where e.kind = 'probe' group by e.job_id, e.payload->>'number' having count(*) > 1`,
  'probes that are done and were not told': `select p.job_id || ' ' || p.number as id from review_probes p where p.state = 'done'
     and not exists (select 1 from job_events e where e.job_id = p.job_id and e.kind = 'probe' and (e.payload->>'number')::int = p.number)`,
  'reviewers that began twice': `select j.parent_job_id as id from jobs j join review_loops l on l.job_id = j.parent_job_id where l.reviewer_run_id is not null group by 1 having count(*) > 1`,
  'challenges that ended and left files': `select job_id as id from review_loops where ended_at is not null and scope is not null`,
  'rehearsals and jobs that disagree': `select s.job_id as id from protocol_simulations s join jobs j using (job_id) where (s.ended_at is null) <> (j.ended_at is null)`,
  'scenarios whose result was told twice': `select e.job_id || ' ' || (e.payload->>'position') as id from job_events e join protocol_simulations s using (job_id)
     where e.kind in ('scenario_passed', 'scenario_failed', 'scenario_skipped', 'scenario_errored') group by e.job_id, e.payload->>'position' having count(*) > 1`,
  'accounts of rehearsals that are left': `select u.user_id as id from users u join protocol_simulations s on s.stage_user_id = u.user_id where s.stage_removed_at is not null`,
  'steps of simulations that were measured twice': `select e.job_id || ' ' || (e.payload->>'from') as id from job_events e join kernel_runs k using (job_id) where e.kind = 'simulation.measured' group by e.job_id, e.payload->>'from' having count(*) > 1`,
  'calls of simulations that began twice': `select j.parent_job_id as id from jobs j join kernel_runs k on k.job_id = j.parent_job_id group by 1, k.most_calls having count(*) > k.most_calls`,
};
