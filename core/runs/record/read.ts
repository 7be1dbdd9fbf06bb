// One run for the account that it works for, and for the owner of its agent: who reads which field is decided
// here, and nowhere else.
import type { RunRecordOut } from '#contract/runs/my-runs.ts';
import type { CallContentsRow, JobsRow } from '#db/tables.ts';
import { jobOfRun } from '../../jobs/of-run.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { type Fault, NotFound, storedFault } from '../../kernel/errors.ts';
import { may } from '../../kernel/policy.ts';
import { traceIdOf } from '../../kernel/trace.ts';
import { isPiiSafe } from '../../policy/check.ts';
import { contentOf, faultOfCall, shownContent, valueIn } from '../content/read.ts';
import { sessionIdOf } from '../../evidence/receipt/session-id.ts';
import { callerShown } from './caller.ts';
import { findRunRecord, type RunSummary } from './find.ts';
import { purposeOf } from './purpose.ts';

/** @throws NotFound run_not_found for all others */
export async function readRunRecord(ctx: Ctx, { run_id }: { run_id: string }): Promise<RunRecordOut> {
  const run = await findRunRecord(ctx.db, run_id);
  const yours = run !== undefined && run.user_id !== null && may(ctx.actor, 'run.read', { owner: run.user_id });
  const ownAgent = run !== undefined && may(ctx.actor, 'receipt.read_all', { owner: run.owner_id });
  if (!run || ctx.actor.kind !== 'user' || (!yours && !ownAgent)) throw new NotFound('run_not_found', `You have no run ${run_id}`);
  const { user_id: reader } = ctx.actor;
  const job = await jobOfRun(ctx.db, run_id);
  const row = await contentOf(ctx.db, run_id);
  const content = yours ? shownContent(row, reader, ctx.clock()) : undefined;
  const given = yours ? await contentShown(ctx, run_id, job, content) : { content: 'not_yours' as const, input: null, output: null };
  const state = job?.state ?? run.state;
  const startedAt = job?.started_at ?? run.started_at;
  const endedAt = job ? job.ended_at : run.ended_at;
  return {
    run_id,
    agent: run.agent_name,
    skill: run.skill,
    version: run.version,
    yours,
    own_agent: ownAgent,
    caller: callerShown({ ...run, caller_user_id: run.user_id }, reader),
    purpose: purposeOf(run.purpose, job?.input),
    job_id: yours ? (job?.job_id ?? null) : null,
    state,
    error: await errorShown(ctx, run, { yours, job, row, failed: state === 'failed' || state === 'cancelled' }),
    request_id: row?.request_id ?? null,
    ...given,
    text: content?.streamed ?? '',
    progress: state === 'running' ? progressOf(content?.progress) : null,
    receipt_id: run.receipt_id,
    session_id: await sessionOf(ctx, run, { run_id, reader, mayRead: yours || job === undefined }),
    grant_id: yours ? ((await ctx.db('subagent_runs').where({ run_id, owner_id: reader }).first('grant_id'))?.grant_id ?? null) : null,
    trace_id: traceIdOf({ run_id, ...(run.root_run_id !== null && { root_run_id: run.root_run_id }), ...(run.trace_id !== null && { trace: { trace_id: run.trace_id, parent_span_id: null } }) }), // prettier-ignore
    started_at: startedAt.toISOString(),
    ended_at: endedAt?.toISOString() ?? null,
    duration_ms: endedAt && Math.max(0, endedAt.getTime() - startedAt.getTime()),
  };
}

/** Of a durable run only its account reads the log, which has its events. */
async function sessionOf({ db }: Ctx, { receipt_id }: RunSummary, i: { run_id: string; reader: string; mayRead: boolean }): Promise<string | null> {
  const row = await db('agent_sessions').where({ run_id: i.run_id }).first('session_id', 'user_id');
  if (row) return row.user_id === i.reader ? row.session_id : null;
  return i.mayRead && receipt_id !== null ? sessionIdOf(receipt_id) : null;
}

type Given = Pick<RunRecordOut, 'content' | 'input' | 'output'>;

async function contentShown(ctx: Ctx, run_id: string, job: JobsRow | undefined, row: CallContentsRow | undefined): Promise<Given> {
  if (job) {
    const row = await ctx.db('runs').where({ run_id }).first('args');
    return { content: 'kept', input: row?.args ?? null, output: resultOf(job.output) };
  }
  if (!row || (row.input === null && row.output === null && !row.left_out)) return { content: 'not_kept', input: null, output: null };
  return { content: row.left_out ? 'too_large' : 'kept', input: valueIn(row.input) ?? null, output: valueIn(row.output) ?? null };
}

/** In what the job of a durable run keeps as its output. */
function resultOf(output: unknown): unknown {
  return typeof output === 'object' && output !== null && 'result' in output ? output.result : null;
}

interface Failing {
  yours: boolean;
  job: JobsRow | undefined;
  row: CallContentsRow | undefined;
  failed: boolean;
}

/** The words of a failure are the author's; of an account that keeps persons out they are its own. */
async function errorShown(ctx: Ctx, run: RunSummary, { yours, job, row, failed }: Failing): Promise<Fault | null> {
  if (!failed) return null;
  const fault = (job && storedFault(job.error)) ?? faultOfCall(run.error_code, row);
  if (yours || !(await isPiiSafe(ctx.db, [run.user_id]))) return fault;
  return faultOfCall(fault.code, undefined);
}

function progressOf(stored: unknown): RunRecordOut['progress'] {
  // Safe: what writes to call_contents (core/runs/content/write.ts) writes this shape.
  return (stored ?? null) as RunRecordOut['progress'];
}
