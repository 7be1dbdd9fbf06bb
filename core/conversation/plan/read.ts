// Plans as their person sees them.
import type { z } from 'zod';
import type { DagNodeOut, DagRunOut, DagRunSummary } from '#contract/conversation/dag-runs.ts';
import type { DagNodesRow, DagRunsRow, JobsRow } from '#db/tables.ts';
import { rowsThatMay, whereMay } from '../../kernel/policy.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { NotFound, storedFault } from '../../kernel/errors.ts';
import { instantOf, microseconds } from '../../kernel/keyset.ts';
import { decodeCursor, type Page, toPage } from '../../kernel/page.ts';
import { presentJob } from '../../runs/job/present.ts';
import { approvalsShown, withApproval } from '../../pauses/approval/show.ts';
import { presentWaitCard } from '../../pauses/wait/show.ts';
import { argsOf } from './model.ts';
import { resultIn } from '../../runs/run/outcome.ts';

type Summary = z.infer<typeof DagRunSummary>;
type Node = z.infer<typeof DagNodeOut>;
type Counted = DagRunsRow & { cursor_at: number; state: string; ended_at: Date | null; total: number; ended: number };

export async function listPlans(ctx: Ctx, i: { limit: number; cursor?: string | undefined }): Promise<Page<Summary>> {
  const mine = rowsThatMay(ctx.actor, 'dag.read', { owner: 'd.owner_id' });
  const [at, id] = i.cursor === undefined ? [undefined, undefined] : decodeCursor(i.cursor, ['number', 'string']);
  const { rows } = await ctx.db.raw<{ rows: Counted[] }>(
    `select d.*, ${microseconds('d.created_at')} as cursor_at, j.state, j.ended_at,
       (select count(*)::int from dag_nodes n where n.dag_run_id = d.dag_run_id) as total,
       (select count(*)::int from dag_nodes n where n.dag_run_id = d.dag_run_id and n.ended_at is not null) as ended
     from dag_runs d join jobs j using (job_id)
     where ${mine.sql} ${at === undefined ? '' : `and (d.created_at, d.dag_run_id) < (${instantOf('at')}, :id)`}
     order by d.created_at desc, d.dag_run_id desc limit :limit`,
    { ...mine.bindings, limit: i.limit + 1, ...(at === undefined ? {} : { at, id }) },
  );
  return toPage(rows, i.limit, summary, (row) => [row.cursor_at, row.dag_run_id]);
}

function summary(row: Omit<Counted, 'cursor_at'>): Summary {
  const { dag_run_id, job_id, thread_id, title } = row;
  const shown = { dag_run_id, job_id, thread_id, title, planner: row.planner, state: jobStateOf(row), nodes_total: row.total, nodes_ended: row.ended };
  return { ...shown, created_at: row.created_at.toISOString(), ended_at: row.ended_at?.toISOString() ?? null };
}

export async function getPlan(ctx: Ctx, i: { dag_run_id: string }): Promise<z.infer<typeof DagRunOut>> {
  const plan = await ctx.db('dag_runs').where({ dag_run_id: i.dag_run_id }).where(whereMay(ctx.actor, 'dag.read')).first();
  const job = plan && (await ctx.db('jobs').where({ job_id: plan.job_id }).first());
  if (!plan || !job) throw new NotFound('dag_run_not_found', `You have no plan ${i.dag_run_id}`);
  const rows = await ctx.db('dag_nodes').where({ dag_run_id: plan.dag_run_id }).orderBy('number');
  const nodes = await presentNodes(ctx, plan, rows);
  const ended = rows.filter(({ ended_at }) => ended_at !== null).length;
  return { ...summary({ ...plan, state: job.state, ended_at: job.ended_at, total: rows.length, ended }), error: presentJob(job).error, nodes };
}

async function presentNodes(ctx: Ctx, plan: DagRunsRow, rows: readonly DagNodesRow[]): Promise<Node[]> {
  const { db } = ctx;
  const jobIds = rows.flatMap(({ job_id }) => job_id ?? []);
  const runIds = rows.flatMap(({ run_id }) => run_id ?? []);
  const [jobs, runs, grants, patches, waits] = await Promise.all([
    db('jobs').whereIn('job_id', jobIds),
    db('runs').whereIn('run_id', runIds).select('run_id', 'grant_id', 'receipt_id'),
    db('grants').whereIn('run_id', runIds).orderBy('issued_at').select('run_id', 'grant_id'),
    db('patches').whereIn('run_id', runIds).where({ state: 'committed' }).orderBy('path').limit(1000),
    db('waits')
      .where({ state: 'pending' })
      .whereIn('job_id', [...jobIds, plan.job_id])
      .orderBy('created_at'),
  ]);
  const approvals = await approvalsShown(ctx, waits);
  return rows.map((row): Node => {
    const job = jobs.find(({ job_id }) => job_id === row.job_id);
    const run = runs.find(({ run_id }) => run_id === row.run_id);
    const wait = waits.find(({ wait_id, job_id }) => wait_id === row.wait_id || (row.job_id !== null && job_id === row.job_id));
    return {
      number: row.number,
      agent: row.agent_name,
      skill: row.skill,
      args: argsOf(row),
      depends_on: row.depends_on,
      state: stateOf(row, job),
      run_id: row.run_id,
      job_id: row.job_id,
      grant_id: run?.grant_id ?? null,
      grants: grants.filter(({ run_id }) => run_id === row.run_id && row.run_id !== null).map(({ grant_id }) => grant_id),
      receipt_id: run?.receipt_id ?? null,
      result: resultIn(job?.output),
      error: storedFault(row.error),
      files_changed: patches
        .filter(({ run_id }) => run_id === row.run_id)
        .map(({ path, operation, sha256 }) => ({ path, operation: operation === 'delete' ? 'delete' : 'write', sha256 })),
      wait: wait ? withApproval(presentWaitCard(wait), approvals) : null,
      started_at: row.started_at?.toISOString() ?? null,
      ended_at: row.ended_at?.toISOString() ?? null,
    };
  });
}

function stateOf(row: DagNodesRow, job: JobsRow | undefined): Node['state'] {
  const state = row.state;
  return state === 'running' && job?.state === 'waiting' ? 'waiting' : state;
}

function jobStateOf(row: { state: string }): Summary['state'] {
  return row.state as Summary['state'];
}
