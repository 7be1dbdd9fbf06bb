// The one list of runs, calls and other work.
import type { RunRowOut } from '#contract/runs/my-runs.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { decodeCursor, type Page, toPage } from '../../kernel/page.ts';
import { requireUser } from '../../kernel/policy.ts';
import { isPiiSafe } from '../../policy/check.ts';
import { faultOfCall } from '../content/read.ts';
import { callerShown } from './caller.ts';
import { chainAgent } from './chain-agent.ts';
import { purposeOf } from './purpose.ts';
import { bindingsOf, callsBy, callsOf, callsUnderWay, jobsOf, type Listed, type Wanted } from './sources.ts';

export type ListRunsIn = Omit<Wanted, 'reader' | 'most' | 'place'> & { limit: number; cursor?: string | undefined };

export async function listRuns(ctx: Ctx, { limit, cursor, ...i }: ListRunsIn): Promise<Page<RunRowOut>> {
  const { user_id: reader } = requireUser(ctx, 'job.read');
  const [at, id] = cursor === undefined ? [undefined, undefined] : decodeCursor(cursor, ['number', 'string']);
  const place = at === undefined || id === undefined ? undefined : { at, id };
  const search = i.search === undefined || i.search === '' ? undefined : i.search;
  const wanted: Wanted = { ...i, search, reader, most: limit + 1, place };
  const texts = [jobsOf, callsBy, callsOf, callsUnderWay].flatMap((source) => source(wanted) ?? []);
  const pages = await Promise.all(texts.map(async (text) => (await ctx.db.raw<{ rows: Listed[] }>(text, bindingsOf(wanted))).rows));
  const rows = pages.flat().sort((a, b) => b.at - a.at || (a.key < b.key ? 1 : -1));
  const page = toPage(
    rows,
    limit,
    (row) => row,
    (row) => [row.at, row.key],
  );
  const more = await detailsOf(ctx, page.items);
  return { ...page, items: page.items.map((row) => present(row, reader, more.get(row.id))) };
}

interface Details {
  message: string | null;
  caller_agent: string | null;
}

/** What only the rows of the page need. */
async function detailsOf(ctx: Ctx, rows: readonly Listed[]): Promise<Map<string, Details>> {
  const calls = rows.filter(({ run_id, job_id }) => run_id !== null && job_id === null);
  if (calls.length === 0) return new Map();
  const ids = calls.map(({ id }) => id);
  const contents = await ctx.db('call_contents').whereIn('run_id', ids).select('run_id', 'error');
  const runs = await ctx.db('runs').whereIn('run_id', ids).select('run_id', 'chain');
  const byRun = new Map(contents.map(({ run_id, error }) => [run_id, error]));
  const chains = new Map(runs.map(({ run_id, chain }) => [run_id, chain]));
  const details = new Map<string, Details>();
  for (const { id, error_code, state, caller_user_id } of calls) {
    // Who keeps persons out of what is stored says why in codes only.
    const error = state === 'failed' && !(await isPiiSafe(ctx.db, [caller_user_id])) ? byRun.get(id) : undefined;
    const message = state === 'failed' ? faultOfCall(error_code, error === undefined ? undefined : { error }).message.slice(0, 300) : null;
    details.set(id, { message, caller_agent: chainAgent(chains.get(id) ?? []) });
  }
  return details;
}

function present(row: Listed, reader: string, details: Details | undefined): RunRowOut {
  const { id, kind, run_id, job_id, agent, skill, version, state, error_code, caller_kind, caller_user_id, cost_micros, began_at, ended_at } = row;
  return {
    id,
    kind,
    run_id,
    job_id,
    agent,
    skill,
    title: row.title ?? `${agent}.${skill}`,
    version,
    state,
    error_code,
    message: row.message ?? details?.message ?? null,
    caller: callerShown({ caller_kind, caller_user_id, caller_agent: details?.caller_agent ?? null }, reader),
    purpose: purposeOf(row.purpose),
    cost_micros: cost_micros === null ? null : Number(cost_micros),
    created_at: began_at.toISOString(),
    ended_at: ended_at?.toISOString() ?? null,
    duration_ms: ended_at && Math.max(0, ended_at.getTime() - began_at.getTime()),
  };
}
