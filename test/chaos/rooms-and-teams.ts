// A trial room: several agents answer the same cases side by side.
import type { TrialRoomOut, TrialRunOut } from '#contract/studio/trial-rooms.ts';
import type { Outcome } from './operations.ts';
import { until } from './persistent.ts';
import type { Chance } from './random.ts';
import { ended, PATIENCE_MS } from './studio.ts';
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
  // 409: as many as may be under way are.
  const begun = await eventually(
    'begin a trial',
    async () => {
      const { contestants } = await trialRooms.get({ params });
      if (contestants.length > 0) return contestants;
      return (await unless(409, () => trialRooms.run({ params, body: { contestants: AGENTS.map((agent) => ({ agent, skill: 'steps' })) } })))?.items;
    },
    PATIENCE_MS,
  );
  if (begun.length !== AGENTS.length) outcome.faults.push(`${AGENTS.length} contestants were asked for, ${begun.length} began`);
  const ends = await Promise.all(begun.map(({ job_id }) => ended(world, outcome, job_id ?? '')));
  const room = await look();
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
};
