import type { Knex } from 'knex';
import type { ReviewLoopOut } from '#contract/studio/adversarial-review-loops.ts';
import type { LoopView } from './find.ts';
import { specOf } from './model.ts';
import { loopSpending } from './spent.ts';
import { storedFault } from '../../kernel/errors.ts';

/** In the order given. */
export async function presentLoops(db: Knex, rows: readonly LoopView[]): Promise<ReviewLoopOut[]> {
  const ids = rows.map(({ job_id }) => job_id);
  const { rows: probes } = await db.raw<{ rows: { job_id: string; planned: number; done: number }[] }>(
    `select job_id, count(*)::int as planned, (count(*) filter (where state = 'done'))::int as done from review_probes where job_id = any(:ids) group by job_id`,
    { ids },
  );
  const { rows: found } = await db.raw<{ rows: { job_id: string; critical: number; warning: number; info: number }[] }>(
    `select p.job_id, (count(distinct f.finding_id) filter (where f.severity = 'critical'))::int as critical,
            (count(distinct f.finding_id) filter (where f.severity = 'warning'))::int as warning, (count(distinct f.finding_id) filter (where f.severity = 'info'))::int as info
     from review_probes p cross join unnest(p.findings) as id join agent_findings f on f.finding_id = id where p.job_id = any(:ids) group by p.job_id`,
    { ids },
  );
  const owners = [...new Set(rows.map(({ owner_id }) => owner_id))];
  const models = new Map((await db('llm_credentials').whereIn('user_id', owners).where({ is_default: true }).select('user_id', 'model')).map((one) => [one.user_id, one.model])); // prettier-ignore
  return Promise.all(
    rows.map(async (row) => {
      const { skills, dry, iterations, seed, budget_cents, reviewer, model } = specOf(row);
      const { planned = 0, done = 0 } = probes.find(({ job_id }) => job_id === row.job_id) ?? {};
      const { critical = 0, warning = 0, info = 0 } = found.find(({ job_id }) => job_id === row.job_id) ?? {};
      return {
        job_id: row.job_id,
        agent: row.agent_name,
        deploy_id: row.deploy_id,
        version: row.version,
        state: row.state,
        skills,
        dry,
        iterations,
        iteration: row.iteration,
        seed,
        budget_cents,
        spent_micros: await loopSpending(db, row),
        deadline_at: row.deadline_at.toISOString(),
        reviewer,
        model: model ? (models.get(row.owner_id) ?? null) : null,
        probes: { planned, done },
        findings: { critical, warning, info },
        error: storedFault(row.error),
        created_at: row.created_at.toISOString(),
        ended_at: row.ended_at?.toISOString() ?? null,
      };
    }),
  );
}
