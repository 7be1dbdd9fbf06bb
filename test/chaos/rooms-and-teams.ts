// Several agents at one task: a trial room, in which they answer the same cases side by side, and a team, in
// which one goes on with what others gave.
import type { TeamRunOut } from '#contract/studio/collective-runtime.ts';
import type { TrialRoomOut, TrialRunOut } from '#contract/studio/trial-rooms.ts';
import type { Outcome } from './operations.ts';
import { until } from './persistent.ts';
import type { Chance } from './random.ts';
import { cancelledSometimes, ended, PATIENCE_MS } from './studio.ts';
import { eventually, unless } from './ways-in.ts';
import { AGENTS, type World } from './world.ts';

const CASES = 6;

/** Both agents answer every case, they are rated, and one is selected. */
export async function tried(world: World, outcome: Outcome, chance: Chance): Promise<void> {
  const { trialRooms } = world.api;
  const params = { slug: outcome.token };
  const counts = Array.from({ length: CASES }, () => chance.between(2, 12));
  const cases = counts.map((count, at) => ({
    inputs: { token: `${outcome.token}.${at + 1}`, marks: world.marks, count, delay: chance.between(20, 200) },
    expected: sumOf(count),
  }));
  const body = { title: outcome.token, slug: outcome.token, goal: 'Add the numbers up', cases, blind: false };
  await until('make a trial room', () => unless(409, () => trialRooms.create({ body })));
  const look = (): Promise<TrialRoomOut> => until('look at a trial room', () => trialRooms.get({ params }));
  // An answer may be lost: with the same key the contestants begin once. 409: as many as may be under way
  // are.
  const headers = { 'idempotency-key': outcome.token };
  // A model without an agent answers beside them, in a stream that is hit too.
  const contestants = [...AGENTS.map((agent) => ({ agent, skill: 'steps' })), ...(chance.number() < 0.5 ? [{ model: {} }] : [])];
  const begun = await eventually(
    'begin a trial',
    async () => (await unless(409, () => trialRooms.run({ params, headers, body: { contestants } })))?.items,
    PATIENCE_MS,
  );
  if (begun.length !== contestants.length) outcome.faults.push(`${contestants.length} contestants were asked for, ${begun.length} began`);
  const isCancelled = await cancelledSometimes(world, begun.map(({ job_id }) => job_id ?? ''), chance); // prettier-ignore
  const ends = await Promise.all(begun.map(({ job_id }) => ended(world, outcome, job_id ?? '')));
  const room = await look();
  if (isCancelled) {
    outcome.state = ends.includes('cancelled') ? 'trial cancelled' : `trial ${ends.find((end) => end !== 'succeeded') ?? 'succeeded'}`;
    return;
  }
  const wrong = room.contestants.flatMap((one) => wrongIn(one, counts));
  outcome.faults.push(...wrong.filter(({ lost }) => !lost).map(({ about }) => about));
  const lost = wrong.filter((one) => one.lost).map(({ about }) => about);
  const other = ends.filter((end) => end !== 'succeeded');
  outcome.state = other.length > 0 ? `trial ${other[0]}` : lost.length > 0 ? 'trial failed' : 'trial succeeded';
  if (lost.length > 0) outcome.error ??= lost.join('; ').slice(0, 400);
  await decided(world, outcome, room);
}

const sumOf = (count: number): { sum: number } => ({ sum: (count * (count + 1)) / 2 });

/** `lost`: it was not answered, which is allowed where its machine was killed. */
function wrongIn(contestant: TrialRunOut, counts: readonly number[]): { lost: boolean; about: string }[] {
  const { contestant: who, results, score } = contestant;
  const about = (text: string): string => `${who?.agent}: ${text}`;
  const found = results.flatMap((result) => {
    const say = (text: string): string => about(`case ${result.case} ${text}`);
    if (result.state !== 'done') return [{ lost: false, about: say(`is ${result.state} after the end`) }];
    if (result.error) return [{ lost: result.score === 0, about: say(`${result.error.code}: ${result.error.message}`) }];
    // It has no run, and says something else than the sum.
    if (who?.model) return result.receipt_id === null && result.parts.length > 0 ? [] : [{ lost: false, about: say(`of a model: ${JSON.stringify(result)}`) }];
    const expected = JSON.stringify(sumOf(counts[result.case - 1] ?? 0));
    const right = result.parts.find(({ part }) => part === 'expected');
    if (JSON.stringify(result.output) === expected && right?.score === 1 && result.receipt_id !== null) return [];
    return [{ lost: false, about: say(`expects ${expected}: ${JSON.stringify({ ...result, parts: right })}`) }];
  });
  if (results.length !== counts.length) found.push({ lost: false, about: about(`has ${results.length} results of ${counts.length}`) });
  const mean = Math.round(results.reduce((sum, one) => sum + (one.score ?? 0), 0) / Math.max(1, results.length));
  if (score && Math.abs(score.mean - mean) > 1) found.push({ lost: false, about: about(`scored ${score.mean}, its cases ${mean}`) });
  return found;
}

/** What is selected stays selected, with the scores as they were. */
async function decided(world: World, outcome: Outcome, room: TrialRoomOut): Promise<void> {
  const { trialRooms } = world.api;
  const [best, other] = room.contestants;
  if (!best || !other) return void outcome.faults.push(`a room has ${room.contestants.length} contestants`);
  const params = (run: TrialRunOut): { slug: string; run_id: string } => ({ slug: room.slug, run_id: run.run_id });
  await until('rate', () => trialRooms.rate({ params: params(best), body: { score: 80, notes: outcome.token } }));
  // 409: it is decided; the answer of the first was lost.
  const select = (run: TrialRunOut) => until('select', () => unless(409, () => trialRooms.select({ params: params(run), body: { reason: outcome.token } })));
  await select(best);
  await select(other);
  const after = await until('look at a trial room', () => trialRooms.get({ params: { slug: room.slug } }));
  const standing = after.decision?.standing.find(({ run_id }) => run_id === best.run_id);
  if (after.state !== 'decided' || after.decision?.run_id !== best.run_id) outcome.faults.push(`selected ${best.run_id}: ${JSON.stringify(after.decision)}`);
  if (best.score && (standing?.score.mean !== best.score.mean || standing.rating !== 80))
    outcome.faults.push(`stood at ${JSON.stringify(best.score)} and a rating of 80, decided as ${JSON.stringify(standing)}`);
}

/**
 * What each protocol is asked to do with the sum of its items: as often as it comes through its steps, one of
 * `times`. A role in capitals is the other agent's. With the highest risk every gate stands.
 */
const TEAMS = {
  single_agent_task: { roles: ['worker'], times: [1], risk: 'medium' },
  map_reduce: { roles: ['mapper', 'MAPPER', 'reducer'], times: [1], risk: 'medium' },
  // A scout may fail.
  research_parallel_scouts: { roles: ['scout', 'SCOUT', 'writer'], times: [1, 2], risk: 'medium' },
  code_change_with_review: { roles: ['author', 'REVIEWER'], times: [2], risk: 'medium' },
  security_review: { roles: ['scanner', 'JUDGE'], times: [1], risk: 'high' },
  docs_update: { roles: ['writer', 'CHECKER'], times: [2], risk: 'medium' },
  // The verdict is of both answers, and of the replies to both that came.
  debate_with_judge: { roles: ['debater', 'debater', 'JUDGE'], times: [2, 4, 6], risk: 'high' },
} as const;
const PROTOCOLS = ['single_agent_task', 'map_reduce', 'research_parallel_scouts', 'code_change_with_review', 'security_review', 'docs_update', 'debate_with_judge'] as const; // prettier-ignore

/**
 * It is planned, started once, its gates are opened once, and its result is what its steps gave one another.
 */
export async function teamed(world: World, outcome: Outcome, chance: Chance): Promise<void> {
  const { collectiveRuntime: teams } = world.api;
  const protocol = chance.pick(PROTOCOLS);
  const pushes = chance.number() < 0.5;
  const items = Array.from({ length: chance.between(4, 9) }, () => chance.between(1, 99));
  const other = AGENTS.find((name) => name !== outcome.agent) ?? outcome.agent;
  const { roles, risk } = TEAMS[protocol];
  const members = roles.map((role) => ({ role: role.toLowerCase(), agent: role === role.toUpperCase() ? other : outcome.agent, skill: 'toil' }));
  const inputs = { token: outcome.token, marks: world.marks, delay: chance.between(20, 300), items };
  const plan = await until('plan a team', () => teams.plan({ body: { goal: `Toil, ${outcome.token}`, protocol, risk, inputs, members, max_agents: 2 } }));
  const start = (): Promise<TeamRunOut> => until('start a team', () => teams.start({ body: { plan_id: plan.plan_id } }));
  const { dag_run_id, job_id } = await start();
  const params = { dag_run_id };
  const cancelling = cancelledSometimes(world, [job_id], chance);
  // Sent twice, it is one decision (invariants.ts). 409: the gate is open; 410: the team is over.
  const open = (number: number): Promise<unknown> =>
    until('open a gate', () => unless(409, () => unless(410, () => teams.approve({ params, body: { number } }))));
  const run = await eventually(
    `the end of ${job_id}`,
    async () => {
      const found = await (pushes ? teams.advance({ params }) : teams.run({ params }));
      await Promise.all(found.gates.flatMap(({ number }) => [open(number), open(number)]));
      return found.ended_at === null ? undefined : found;
    },
    PATIENCE_MS,
  );
  const isCancelled = await cancelling;
  outcome.state = `team ${await ended(world, outcome, job_id)}`;
  if (run.state === 'cancelled' && !isCancelled) outcome.faults.push('a team was cancelled that nobody cancelled');
  if (outcome.state !== `team ${run.state}`) outcome.faults.push(`its job says ${outcome.state}, the team ${run.state}`);
  const again = await start();
  if (again.dag_run_id !== dag_run_id) outcome.faults.push(`the same plan began a second team: ${dag_run_id}, ${again.dag_run_id}`);
  if (run.state === 'succeeded') outcome.faults.push(...teamFaults(run, protocol, items));
  else outcome.error = `${protocol}: ${JSON.stringify(run.plan.nodes.map(({ number, state, error }) => ({ number, state, code: error?.code })))}`;
}

function teamFaults(run: TeamRunOut, protocol: keyof typeof TEAMS, items: readonly number[]): string[] {
  const sum = items.reduce((all, one) => all + one, 0);
  const right = TEAMS[protocol].times.map((times) => JSON.stringify({ sum: sum * times }));
  const result = JSON.stringify(run.plan.nodes.at(-1)?.result ?? null);
  const unmet = run.evidence.filter(({ met }) => !met);
  return [
    ...(right.includes(result) ? [] : [`${protocol} came to ${result}, not to ${right.join(' or ')}`]),
    ...unmet.map(({ evidence, about }) => `${protocol} succeeded without ${evidence}: ${about}`),
  ];
}

/** What the tables must say at any time, by what it would be. */
export const roomAndTeamQueries: Record<string, string> = {
  'contestants and jobs that disagree': `select t.run_id as id from trial_runs t join jobs j using (job_id) where (t.ended_at is null) <> (j.ended_at is null)`,
  'cases that were not scored once': `select r.run_id || ' ' || r.case_no as id from trial_results r join trial_runs t using (run_id) join jobs j using (job_id)
     left join job_events e on e.job_id = t.job_id and e.kind = 'trial.case' and (e.payload->>'case')::int = r.case_no
     where j.state = 'succeeded' group by r.run_id, r.case_no having count(e.seq) <> 1 or min(r.state) <> 'done'`,
  'contestants that were scored twice': `select e.job_id as id from job_events e join trial_runs t using (job_id) where e.kind = 'trial.scored' group by 1 having count(*) > 1`,
  'contestants with another number of runs or grants than of cases': `select t.run_id as id from trial_runs t
     left join trial_results r on r.run_id = t.run_id left join runs c on c.run_id = r.child_run_id
     where t.ended_at is not null group by t.run_id, t.job_id
     having count(distinct c.run_id) <> count(r.child_run_id) or count(distinct c.grant_id) <> count(r.child_run_id)
       or (select count(*) from jobs k where k.parent_job_id = t.job_id) <> count(r.child_run_id)`,
  'grants of cases that are for another run': `select r.child_run_id as id from trial_results r join runs c on c.run_id = r.child_run_id join grants g using (grant_id)
     where g.run_id is distinct from r.child_run_id`,
  'cases without a run and without a word why': `select r.run_id || ' ' || r.case_no as id from trial_results r join trial_runs t using (run_id)
     where r.state = 'done' and r.child_run_id is null and r.error is null and t.model is null`,
  'cases that were answered without their receipt': `select r.run_id || ' ' || r.case_no as id from trial_results r join runs c on c.run_id = r.child_run_id
     where r.state = 'done' and c.state = 'succeeded' and (r.receipt_id is null or r.receipt_id is distinct from c.receipt_id)`,
  'teams and jobs that disagree': `select t.dag_run_id as id from team_runs t join dag_runs d using (dag_run_id) join jobs j using (job_id)
     join dag_nodes n using (dag_run_id) group by t.dag_run_id, j.ended_at, j.state
     having (j.ended_at is null) <> bool_or(n.state in ('pending', 'asking', 'running')) and j.state <> 'cancelled'
       or j.state = 'succeeded' and bool_or(n.state <> 'succeeded' and not n.may_fail)`,
  'plans that began two teams': `select plan_id as id from team_runs group by plan_id having count(*) > 1`,
  'steps that began twice in one attempt': `select d.dag_run_id || ' ' || n.number as id from team_runs t join dag_runs d using (dag_run_id) join dag_nodes n using (dag_run_id)
     join jobs k on k.parent_job_id = d.job_id and (k.idempotency_key = d.dag_run_id || ':' || n.number or k.idempotency_key like d.dag_run_id || ':' || n.number || ':%')
     group by d.dag_run_id, n.number, n.attempt having count(*) > n.attempt + 1 or count(*) <> count(distinct k.idempotency_key)`,
  'runs of teams that belong to no step': `select k.job_id as id from team_runs t join dag_runs d using (dag_run_id) join jobs k on k.parent_job_id = d.job_id
     where not exists (select 1 from dag_nodes n where n.dag_run_id = d.dag_run_id
       and (k.idempotency_key = d.dag_run_id || ':' || n.number or k.idempotency_key like d.dag_run_id || ':' || n.number || ':%'))`,
  'steps that are done and have not the result of their run': `select n.dag_run_id || ' ' || n.number as id from dag_nodes n join team_runs t using (dag_run_id)
     left join runs r on r.run_id = n.run_id where n.state = 'succeeded' and (r.state is distinct from 'succeeded' or r.receipt_id is null)`,
  'gates that were not asked for once': `select n.dag_run_id || ' ' || n.number as id from dag_nodes n join team_runs t using (dag_run_id) join dag_runs d using (dag_run_id)
     left join waits w on w.wait_id = n.wait_id where n.gate and n.state = 'succeeded' and n.attempt = 0 and
       (w.state is distinct from 'approved' or (select count(*) from waits o where o.job_id = d.job_id) <> (select count(*) from dag_nodes m where m.dag_run_id = n.dag_run_id and m.gate))`,
  'teams that have ended and work on': `select d.dag_run_id as id from team_runs t join dag_runs d using (dag_run_id) join jobs j using (job_id)
     join jobs k on k.parent_job_id = j.job_id where j.ended_at is not null and k.ended_at is null`,
  'teams that spent more than they may': `with recursive tree as (
       select t.dag_run_id, r.run_id from team_runs t join dag_runs d using (dag_run_id) join jobs k on k.parent_job_id = d.job_id join runs r on r.job_id = k.job_id
       union select tree.dag_run_id, r.run_id from runs r join tree on r.parent_run_id = tree.run_id)
     select t.dag_run_id as id from team_runs t left join
       (select dag_run_id, sum(coalesce(u.cost_micros, 0)) as micros from tree join llm_usage u using (run_id) group by 1) models using (dag_run_id) left join
       (select dag_run_id, sum(coalesce(c.amount_micros, c.held_micros)) as micros from tree join charges c using (run_id) where c.state <> 'released' group by 1) paid using (dag_run_id)
     where coalesce(models.micros, 0) + coalesce(paid.micros, 0) > t.budget_micros`,
};
