// Scores the runs that have ended, by the rules of their agents. It goes through receipts in their order and
// remembers how far it got in the transaction that stores the scores: a crash loses nothing, and nothing is
// scored twice.
import type { Knex } from 'knex';
import type { ScoredRun } from '#contract/quality/score.ts';
import type { EvaluationRulesRow } from '#db/tables.ts';
import type { Ctx, TxCtx } from '../../kernel/ctx.ts';
import { firstId } from '../../kernel/ids.ts';
import { notOnHold, notRetained, ownerOfAgent } from '../../accounts/legal-hold.ts';
import { system } from '../../kernel/act.ts';
import { resultIn } from '../../runs/run/outcome.ts';
import { checkOf } from './rules.ts';
import { isSampled } from './sample.ts';
import { scored } from './score.ts';

const BATCH = 200;
/**
 * Until then what belongs to a run is there: its receipt is committed, its models are counted, its content is
 * kept.
 */
export const SCORE_DELAY_MS = 15_000;
const KEEP_CONTENT_MS = 86_400_000;
const KEEP_SCORES_MS = 91 * 86_400_000;

export async function scoreRuns(ctx: Ctx): Promise<void> {
  while (await scoreNext(ctx));
}

/** Scores are shown for 90 days; a content that nothing has looked at in a day is looked at by nothing. */
export async function retainScores({ db, clock }: Ctx): Promise<void> {
  const now = clock();
  await db('run_scores')
    .where('scored_at', '<', new Date(now - KEEP_SCORES_MS))
    .where(notRetained({ owner: ownerOfAgent('run_scores.agent_id'), at: 'run_scores.scored_at' }, now))
    .delete();
  await db('scored_contents')
    .where('kept_at', '<', new Date(now - KEEP_CONTENT_MS))
    .where(notOnHold(ownerOfAgent('scored_contents.agent_id'), now))
    .delete();
}

/** False: all that has settled is scored, or another worker does it. */
function scoreNext(ctx: Ctx): Promise<boolean> {
  return system(ctx, async (ctx) => {
    const settled = firstId('rcp', ctx.clock() - SCORE_DELAY_MS);
    await ctx.db('scoring_position').insert({ receipt_id: settled }).onConflict('one').ignore(); // prettier-ignore
    const at = await ctx.db('scoring_position').forUpdate().skipLocked().first('receipt_id');
    if (!at) return false;
    const runs = await runsAfter(ctx.db, at.receipt_id, settled);
    await score(ctx, runs);
    const more = runs.length === BATCH;
    await ctx.db('scoring_position').update({ receipt_id: (more ? runs.at(-1)?.receipt_id : undefined) ?? later(at.receipt_id, settled) });
    return more;
  });
}

const later = (a: string, b: string): string => (a > b ? a : b);

interface EndedRun {
  receipt_id: string;
  run_id: string;
  agent_id: string;
  deploy_id: string | null;
  skill: string;
  status: string;
  error_code: string | null;
  latency_ms: number;
  cost_micros: number | null;
  /** Its row says what it took and gave. */
  durable: boolean;
  output: unknown;
  /** Of a plain call: its content was kept. */
  kept: boolean;
  result: unknown;
}

/** Of agents that have rules, and not of an evaluation. */
async function runsAfter(tx: Knex.Transaction, after: string, before: string): Promise<EndedRun[]> {
  const { rows } = await tx.raw<{ rows: EndedRun[] }>(
    `select r.receipt_id, r.run_id, r.agent_id, r.deploy_id, r.skill, r.status, r.payload->>'error_code' as error_code,
            coalesce(nullif(u.ran_ms, 0), r.duration_ms) as latency_ms,
            case when m.uses is null then 0 else m.cost_micros end as cost_micros,
            coalesce(u.kind <> 'call', false) as durable, j.output, c.run_id is not null as kept, c.result
     from receipts r
       left join runs u on u.run_id = r.run_id
       left join jobs j on u.kind <> 'call' and j.workflow_id = 'run:' || r.run_id
       left join scored_contents c on c.run_id = r.run_id
       left join lateral (
         select case when bool_or(cost_micros is null) then null else sum(cost_micros)::int end as cost_micros, count(*) as uses
         from llm_usage where run_id = r.run_id
       ) m on m.uses > 0
     where r.receipt_id > :after and r.receipt_id < :before and r.source = 'platform' and r.run_id is not null
       and exists (select 1 from evaluation_rules e where e.agent_id = r.agent_id and e.enabled)
       and not exists (select 1 from evaluation_results v where v.run_id = r.run_id)
     order by r.receipt_id limit ${BATCH}`,
    { after, before },
  );
  return rows;
}

async function score(ctx: TxCtx, runs: readonly EndedRun[]): Promise<void> {
  const rules = await ctx.db('evaluation_rules').whereIn('agent_id', [...new Set(runs.map(({ agent_id }) => agent_id))]).where({ enabled: true }); // prettier-ignore
  const ofAgent = Map.groupBy(rules, ({ agent_id }) => agent_id);
  const owners = new Map((await ctx.db('agents').whereIn('agent_id', [...ofAgent.keys()]).select('agent_id', 'owner_id')).map((one) => [one.agent_id, one.owner_id])); // prettier-ignore
  const now = new Date(ctx.clock());
  const scores: NewScore[] = [];
  for (const run of runs) {
    const { run_id, agent_id, deploy_id } = run;
    if (deploy_id === null) continue;
    for (const rule of ofAgent.get(agent_id) ?? []) {
      if (!isSampled(rule, run)) continue;
      const key = { agent_id, rule: rule.rule, run_id, deploy_id, scored_at: now };
      if (rule.kind === 'judge') {
        if (hasContent(run)) scores.push({ ...key, passed: null, score: null, reason: null });
        continue;
      }
      const given = await scored(owners.get(agent_id) ?? agent_id, checkOf(rule), factsOf(run));
      if (given) scores.push({ ...key, ...given });
    }
  }
  const newScores = await withinDay(ctx.db, ofAgent, scores, now);
  if (newScores.length > 0) await ctx.db('run_scores').insert(newScores).onConflict(['agent_id', 'rule', 'run_id']).ignore(); // prettier-ignore
  const waiting = new Set(newScores.flatMap(({ run_id, passed, reason }) => (passed === null && reason === null ? [run_id] : [])));
  const seen = runs.filter((run) => run.kept && !waiting.has(run.run_id)).map(({ run_id }) => run_id);
  if (seen.length > 0) await ctx.db('scored_contents').whereIn('run_id', seen).delete();
}

type NewScore = { agent_id: string; rule: string; run_id: string; deploy_id: string; scored_at: Date; passed: boolean | null; score: number | null; reason: string | null }; // prettier-ignore

/** A judge costs money: what is above its number of a day is noted as not judged. */
async function withinDay(
  tx: Knex.Transaction,
  ofAgent: ReadonlyMap<string, readonly EvaluationRulesRow[]>,
  scores: readonly NewScore[],
  now: Date,
): Promise<NewScore[]> {
  const day = new Date(now.toISOString().slice(0, 10));
  const left = new Map<string, number>();
  for (const [agent_id, rules] of ofAgent) {
    for (const rule of rules) {
      const check = checkOf(rule);
      if (check.kind !== 'judge') continue;
      const [judged] = await tx('run_scores').where({ agent_id, rule: rule.rule }).where('scored_at', '>=', day).count<{ count: string }[]>(); // prettier-ignore
      left.set(`${agent_id} ${rule.rule}`, check.per_day - Number(judged?.count ?? 0));
    }
  }
  return scores.flatMap((one) => {
    const key = `${one.agent_id} ${one.rule}`;
    const remaining = left.get(key);
    if (remaining === undefined) return [one];
    left.set(key, remaining - 1);
    return remaining > 0 ? [one] : [];
  });
}

const hasContent = (run: EndedRun): boolean => run.status === 'ok' && (run.durable || run.kept);

function factsOf(run: EndedRun): ScoredRun {
  return { outcome: outcomeOf(run), latencyMs: run.latency_ms, costMicros: run.cost_micros };
}

function outcomeOf(run: EndedRun): ScoredRun['outcome'] {
  if (run.status !== 'ok') return { error: { code: run.error_code ?? run.status } };
  if (run.durable) return { result: resultIn(run.output) };
  return run.kept ? { result: run.result } : undefined;
}
