// What an account knows of the agents that it may send work to: their scorecards, and the routing state that
// follows from them.
import type { Knex } from 'knex';
import { percent } from '#contract/studio/percent.ts';
import { decay, type Score, scoreOfEvidence, WEIGHTS } from '#contract/studio/scorecard.ts';
import type { RoutingState } from '#contract/states.ts';
import { FREEZES } from '../../agents/agent/frozen.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { policyOf } from '../../policy/known.ts';

/** From here on what is known of it is good, with 95 %. */
const TRUSTED_FROM = 0.7;
/** Up to here it is bad, with 95 %. */
const DEGRADED_TO = 0.6;

interface KnownRow {
  agent_id: string;
  name: string;
  own: boolean;
  description: string;
  skills: string[];
  unanswered: boolean;
  frozen: string | null;
  good: number;
  bad: number;
  calls: string;
  as_of: Date | null;
  proofs_passed: number;
  proofs_failed: number;
  proofs_good: number;
  proofs_bad: number;
  trials: number;
  trials_mean: number | null;
  trials_good: number;
  trials_bad: number;
  ratings: number;
  ratings_mean: number | null;
  ratings_good: number;
  ratings_bad: number;
}

export interface Known {
  agent_id: string;
  score: Score;
  routing: { routing_state: RoutingState; reason: string };
  row: KnownRow;
}

const half = (at: string): string => `power(0.5, extract(epoch from :now::timestamptz - ${at}) / 86400 / 60)`;
const [kept, most] = [`interval '1 year'`, 100];

/** `where`: a condition on `agents a`, with its bindings. */
export async function knownOf(ctx: Pick<Ctx, 'db' | 'clock'>, accountId: string, where: string, bindings: Record<string, Knex.RawBinding>): Promise<Known[]> {
  const now = ctx.clock();
  const { rows } = await ctx.db.raw<{ rows: KnownRow[] }>(
    `select a.agent_id, a.name, a.owner_id = :account as own, a.description, a.skills, a.unanswered, f.title as frozen,
       coalesce(c.good, 0) as good, coalesce(c.bad, 0) as bad, coalesce(c.calls, 0) as calls, c.as_of,
       p.passed as proofs_passed, p.failed as proofs_failed, p.good as proofs_good, p.bad as proofs_bad,
       t.count as trials, t.mean as trials_mean, t.good as trials_good, t.bad as trials_bad,
       r.count as ratings, r.mean as ratings_mean, r.good as ratings_good, r.bad as ratings_bad
     from agents a
     left join scorecards c on c.agent_id = a.agent_id and c.account_id = :account
     left join lateral (
       select title from agent_findings where agent_id = a.agent_id and state = :state and severity = :severity and confirmed = :confirmed order by finding_id limit 1
     ) f on true
     cross join lateral (
       select count(*) filter (where passed)::int as passed, count(*) filter (where not passed)::int as failed,
         coalesce(sum(d) filter (where passed), 0) as good, coalesce(sum(d) filter (where not passed), 0) as bad
       from (select status = 'passed' as passed, ${half('created_at')} as d from agent_proofs
             where agent_id = a.agent_id and token is not null and (published or owner_id = :account) and created_at > :now::timestamptz - ${kept}
             order by created_at desc limit ${most}) x
     ) p
     cross join lateral (
       select count(*)::int as count, avg(m) as mean, coalesce(sum(d * m), 0) as good, coalesce(sum(d * (1 - m)), 0) as bad
       from (select (score->>'mean')::float8 / 100000 as m, ${half('created_at')} as d from trial_runs
             where agent_id = a.agent_id and owner_id = :account and score is not null and created_at > :now::timestamptz - ${kept}
             order by created_at desc limit ${most}) x
     ) t
     cross join lateral (
       select count(*)::int as count, avg(m) as mean, coalesce(sum(d * m), 0) as good, coalesce(sum(d * (1 - m)), 0) as bad
       from (select m, ${half('at')} as d from (
               select g.score::float8 / 100 as m, g.updated_at as at from trial_ratings g join trial_runs u using (run_id)
               where u.agent_id = a.agent_id and g.user_id = :account
               union all select case when b.good then 1 else 0 end, b.created_at from brain_feedback b where b.agent_id = a.agent_id and b.owner_id = :account
             ) said where at > :now::timestamptz - ${kept} order by at desc limit ${most}) x
     ) r
     where a.deleted_at is null and a.live_deploy_id is not null and ${where}`,
    { ...bindings, account: accountId, now: new Date(now), ...FREEZES },
  );
  const policy = (await policyOf(ctx.db, accountId))?.policy;
  const approved = policy?.only_approved_agents === true ? new Set(policy.approved_agents) : undefined;
  return rows.map((row) => {
    const score = scoreOfEvidence(evidenceOf(row, now));
    return { agent_id: row.agent_id, row, score, routing: routingOf(row, score, approved) };
  });
}

function evidenceOf(row: KnownRow, now: number): { good: number; bad: number } {
  const left = row.as_of === null ? 0 : decay(now - row.as_of.getTime());
  const side = (one: 'good' | 'bad'): number =>
    row[one] * left + row[`proofs_${one}`] * WEIGHTS.proof + row[`trials_${one}`] * WEIGHTS.trial + row[`ratings_${one}`] * WEIGHTS.rating;
  return { good: side('good'), bad: side('bad') };
}

function routingOf(row: KnownRow, score: Score, approved: ReadonlySet<string> | undefined): Known['routing'] {
  if (row.frozen !== null) return { routing_state: 'blocked', reason: `A critical finding is open: ${row.frozen}` };
  if (approved && !approved.has(row.name)) return { routing_state: 'blocked', reason: 'Your policy lets only approved agents be called' };
  if (row.unanswered) return { routing_state: 'degraded', reason: 'It does not answer' };
  if (score.high < DEGRADED_TO)
    return { routing_state: 'degraded', reason: `Too much of what is known of it went wrong: at most ${percent(score.high)} is good` };
  if (score.low >= TRUSTED_FROM) return { routing_state: 'trusted', reason: `At least ${percent(score.low)} of what is known of it is good` };
  return {
    routing_state: 'candidate',
    reason: score.weight < 1 ? 'Nothing is known of it yet' : `Not enough is known of it: ${percent(score.low)} to ${percent(score.high)} is good`,
  };
}
