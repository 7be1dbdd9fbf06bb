// The one list of runs, calls and other work.
import type { Knex } from 'knex';
import type { RunRowOut } from '#contract/runs/my-runs.ts';
import { workflowOfRun } from '../../jobs/of-run.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { type Page, toPage } from '../../kernel/page.ts';
import { requireUser } from '../../kernel/policy.ts';
import { isPiiSafe } from '../../policy/check.ts';
import { faultOfCall } from '../content/read.ts';
import { callerShown } from './caller.ts';
import { chainAgent } from './chain-agent.ts';
import { inSort, placeOf } from './order.ts';
import { purposeOf } from './purpose.ts';
import { bindingsOf, callsBy, callsOf, callsReported, callsUnderWay, jobsOf, type Listed, type Wanted } from './sources.ts';

export type ListRunsIn = Omit<Wanted, 'reader' | 'most' | 'place'> & { limit: number; cursor?: string | undefined };

export async function listRuns(ctx: Ctx, { limit, cursor, ...i }: ListRunsIn): Promise<Page<RunRowOut>> {
  const { user_id: reader } = requireUser(ctx, 'job.read');
  const search = i.search === undefined || i.search === '' ? undefined : i.search;
  const wanted: Wanted = { ...i, search, reader, most: limit + 1, place: placeOf(i.sort, cursor) };
  const texts = [jobsOf, callsBy, callsOf, callsUnderWay, callsReported].flatMap((source) => source(wanted) ?? []);
  const pages = await Promise.all(texts.map(async (text) => (await ctx.db.raw<{ rows: Listed[] }>(text, bindingsOf(wanted))).rows));
  const rows = pages.flat().sort(inSort(i.sort));
  const page = toPage(
    rows,
    limit,
    (row) => row,
    (row) => [i.sort, row.at, row.key],
  );
  const more = await detailsOf(ctx, page.items, reader);
  return { ...page, items: page.items.map((row) => present(row, reader, more.get(row.id))) };
}

interface Details {
  message: string | null;
  caller_agent: string | null;
  job_id: string | null;
  version: string | null;
  cost_micros: number | null;
}

/** What only the rows of the page need. */
async function detailsOf(ctx: Ctx, rows: readonly Listed[], reader: string): Promise<Map<string, Details>> {
  const ofRuns = rows.filter(({ run_id }) => run_id !== null);
  if (ofRuns.length === 0) return new Map();
  const ids = ofRuns.map(({ id }) => id);
  const contents = await ctx.db('call_contents').whereIn('run_id', ids).select('run_id', 'error');
  const runs = await ctx.db('runs').whereIn('run_id', ids).select('run_id', 'chain');
  const byRun = new Map(contents.map(({ run_id, error }) => [run_id, error]));
  const chains = new Map(runs.map(({ run_id, chain }) => [run_id, chain]));
  const receipts = await receiptsOf(ctx.db, ofRuns.flatMap(({ id, job_id }) => (job_id === null ? [] : id))); // prettier-ignore
  const jobs = await jobsOfRuns(ctx.db, ofRuns.flatMap(({ id, kind, job_id }) => (kind === 'run' && job_id === null ? id : [])), reader); // prettier-ignore
  const details = new Map<string, Details>();
  for (const { id, job_id, error_code, state, caller_user_id } of ofRuns) {
    // Who keeps persons out of what is stored says why in codes only.
    const tells = job_id === null && state === 'failed';
    const error = tells && !(await isPiiSafe(ctx.db, [caller_user_id])) ? byRun.get(id) : undefined;
    const message = tells ? faultOfCall(error_code, error === undefined ? undefined : { error }).message.slice(0, 300) : null;
    const { version = null, cost_micros = null } = receipts.get(id) ?? {};
    details.set(id, { message, caller_agent: chainAgent(chains.get(id) ?? []), job_id: jobs.get(id) ?? null, version, cost_micros });
  }
  return details;
}

/** A durable run is listed by its job, which knows neither its version nor its cost. */
async function receiptsOf(db: Knex, runIds: readonly string[]): Promise<Map<string, Pick<Details, 'version' | 'cost_micros'>>> {
  if (runIds.length === 0) return new Map();
  const rows = await db('receipts')
    .whereIn('run_id', runIds)
    .where({ source: 'platform' })
    .select<{ run_id: string; version: string | null; cost_micros: string | null }[]>(
      'run_id',
      db.raw(`payload->'agent'->>'version' as version, nullif(payload->'charge'->>'amount_micros', '0') as cost_micros`),
    );
  return new Map(rows.map(({ run_id, version, cost_micros }) => [run_id, { version, cost_micros: cost_micros === null ? null : Number(cost_micros) }]));
}

async function jobsOfRuns(db: Knex, runIds: readonly string[], reader: string): Promise<Map<string, string>> {
  if (runIds.length === 0) return new Map();
  const byWorkflow = new Map(runIds.map((id) => [workflowOfRun(id), id]));
  const rows = await db('jobs')
    .whereIn('workflow_id', [...byWorkflow.keys()])
    .where({ owner_id: reader })
    .select('workflow_id', 'job_id');
  return new Map(rows.map(({ workflow_id, job_id }) => [byWorkflow.get(workflow_id ?? '') ?? '', job_id]));
}

function present(row: Listed, reader: string, details: Details | undefined): RunRowOut {
  const { id, kind, run_id, agent, skill, state, error_code, caller_kind, caller_user_id, began_at, ended_at } = row;
  const cost = row.cost_micros ?? details?.cost_micros ?? null;
  return {
    id,
    kind,
    run_id,
    job_id: row.job_id ?? details?.job_id ?? null,
    plan_id: row.plan_id ?? null,
    agent,
    skill,
    title: row.title ?? `${agent}.${skill}`,
    version: row.version ?? details?.version ?? null,
    state,
    error_code,
    message: row.message ?? details?.message ?? null,
    caller: callerShown({ caller_kind, caller_user_id, caller_agent: row.caller_agent ?? details?.caller_agent ?? null }, reader),
    purpose: purposeOf(row.purpose),
    cost_micros: cost === null ? null : Number(cost),
    created_at: began_at.toISOString(),
    ended_at: ended_at?.toISOString() ?? null,
    duration_ms: ended_at && Math.max(0, ended_at.getTime() - began_at.getTime()),
  };
}
