// Scores as the owner of the agent sees them.
import type { EvaluationSummaryOut, RunScoresOut, ScoreOut } from '#contract/quality/evaluations.ts';
import type { RunScoresRow } from '#db/tables.ts';
import { agentFor } from '../../agents/agent/find.ts';
import type { Ctx } from '../../kernel/ctx.ts';

const MAX_VERSIONS = 20;
const FAILED_SHOWN = 5;

export async function readSummary(ctx: Ctx, i: { name: string; days: number }): Promise<EvaluationSummaryOut> {
  const { agent_id, live_deploy_id } = await agentFor(ctx.db, ctx.actor, 'evaluation.read', i.name);
  const since = new Date(ctx.clock() - i.days * 86_400_000);
  const { rows: shares } = await ctx.db.raw<{
    rows: { deploy_id: string; rule: string; scored: number; passed: number; average: number | null; failed_runs: string[] | null }[];
  }>(
    `select deploy_id, rule, count(*)::int as scored, (count(*) filter (where passed))::int as passed, avg(score) as average,
            (array_agg(run_id order by scored_at desc) filter (where not passed))[1:${FAILED_SHOWN}] as failed_runs
     from run_scores where agent_id = :agent_id and scored_at >= :since and passed is not null group by deploy_id, rule order by rule`,
    { agent_id, since },
  );
  const { rows: thumbs } = await ctx.db.raw<{ rows: { deploy_id: string; up: number; down: number }[] }>(
    `select deploy_id, (count(*) filter (where up))::int as up, (count(*) filter (where not up))::int as down
     from run_thumbs where agent_id = :agent_id and at >= :since and deploy_id is not null group by deploy_id`,
    { agent_id, since },
  );
  const ids = [...new Set([...shares, ...thumbs].map(({ deploy_id }) => deploy_id))];
  const deployments = await ctx.db('deployments').whereIn('deploy_id', ids).orderBy('number', 'desc').limit(MAX_VERSIONS).select('deploy_id', 'number', 'version'); // prettier-ignore
  const versions = deployments.map(({ deploy_id, number, version }) => {
    const votes = thumbs.find((one) => one.deploy_id === deploy_id);
    return {
      deploy_id,
      number,
      version,
      live: deploy_id === live_deploy_id,
      rules: shares.filter((one) => one.deploy_id === deploy_id).map(({ rule, scored, passed, average, failed_runs }) => ({ rule, scored, passed, average, failed_runs: failed_runs ?? [] })), // prettier-ignore
      thumbs: { up: votes?.up ?? 0, down: votes?.down ?? 0 },
    };
  });
  return { days: i.days, versions };
}

export async function readRunScores(ctx: Ctx, i: { name: string; run_id: string }): Promise<RunScoresOut> {
  const { agent_id } = await agentFor(ctx.db, ctx.actor, 'evaluation.read', i.name);
  const of = { agent_id, run_id: i.run_id };
  const scores = await ctx.db('run_scores').where(of).orderBy('rule');
  const thumb = await ctx.db('run_thumbs').where(of).first('up', 'comment');
  return { run_id: i.run_id, scores: scores.map(presentScore), thumb: thumb ?? null };
}

const presentScore = ({ rule, passed, score, reason }: RunScoresRow): ScoreOut => ({ rule, passed, score, reason });
