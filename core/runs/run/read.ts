// A run as its user sees it, and its events as they happen.
import type { z } from 'zod';
import type { RecipientOut, RunOut, RunWait } from '#contract/runs/runs.ts';
import type { JobEventOut } from '#contract/runs/work-ledger.ts';
import type { RunsRow, WaitsRow } from '#db/tables.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { Conflict, type Fault, NotFound } from '../../kernel/errors.ts';
import { contentOf, faultOfCall, shownContent, valueIn } from '../content/read.ts';
import { whereMay } from '../../kernel/policy.ts';
import { presentJob } from '../job/present.ts';
import { presentEvent } from '../../jobs/present-event.ts';
import { followJobEvents } from '../../jobs/retention/read.ts';
import { approvalsShown, withApproval } from '../../pauses/approval/show.ts';
import { waitsBelow } from '../../pauses/wait/call-chain.ts';
import { presentOpenWait, withoutContent } from '../../pauses/wait/present-open.ts';
import { recipientsShown } from '../../pauses/wait/shown-recipients.ts';
import { isTerminal } from '../../jobs/model.ts';
import { isOpenRun } from '../../kernel/run-state.ts';
import { traceIdOf } from '../../kernel/trace.ts';
import { jobOfRun } from '../../jobs/of-run.ts';
import { readRunRecord } from '../record/read.ts';
import { actorOfRun } from './model.ts';

type Run = z.infer<typeof RunOut>;

/** @throws NotFound for users who may not read it, the agent's owner included */
export async function getRun(ctx: Ctx, i: { name: string; run_id: string }): Promise<Run> {
  const row = await findReadable(ctx, i);
  const run = row ? await presentRun(ctx, row) : await plainRun(ctx, i);
  if (!run) throw noSuchRun(i);
  return run;
}

/** Ends after the run's last event, or when `signal` aborts. @throws Conflict run_not_durable */
export async function followRun(
  ctx: Ctx,
  i: { name: string; run_id: string; after: number; signal: AbortSignal },
): Promise<AsyncGenerator<z.infer<typeof JobEventOut>>> {
  const row = (await findReadable(ctx, i)) ?? (await plainRun(ctx, i));
  if (!row) throw noSuchRun(i);
  const job = await jobOfRun(ctx.db, row.run_id);
  if (!job) throw new Conflict('run_not_durable', 'This run was a plain call: only its caller had its events');
  return events(ctx, job.job_id, i.after, i.signal);
}

async function* events(ctx: Ctx, jobId: string, after: number, signal: AbortSignal): AsyncGenerator<z.infer<typeof JobEventOut>> {
  for await (const event of followJobEvents(ctx, jobId, after, signal)) yield presentEvent(event);
}

/** A user reads their own; a running skill reads those it started. */
function findReadable(ctx: Ctx, i: { name: string; run_id: string }): Promise<RunsRow | undefined> {
  return ctx
    .db('runs')
    .where({ run_id: i.run_id, agent_name: i.name })
    .where(whereMay(ctx.actor, 'run.read', { owner: 'user_id', calling_run: 'parent_run_id' }))
    .first();
}

function noSuchRun(i: { name: string; run_id: string }): NotFound {
  return new NotFound('run_not_found', `You have no run ${i.run_id} of ${i.name}`);
}

/** Without a row of its own: what is kept of it, where its account reads it. */
async function plainRun(ctx: Ctx, i: { name: string; run_id: string }): Promise<Run | undefined> {
  if (ctx.actor.kind !== 'user') return undefined;
  const record = await readRunRecord(ctx, i).catch(ifNotFound);
  if (!record?.yours || record.agent !== i.name) return undefined;
  const { run_id, agent, skill, trace_id, state, output, error, receipt_id, started_at, ended_at } = record;
  const of = { run_id, job_id: null, agent, skill, trace_id, state, result: output, error, receipt_id };
  return { ...of, waits: [], last_seq: 0, created_at: started_at, started_at, ended_at };
}

function ifNotFound(error: unknown): undefined {
  if (error instanceof NotFound) return undefined;
  throw error;
}

/**
 * `read` is the run's row as it was a moment ago. One transaction ends row and job: where the job has ended
 * since, the row is read again.
 */
export async function presentRun(ctx: Ctx, read: RunsRow): Promise<Run> {
  const job = await jobOfRun(ctx.db, read.run_id);
  const row = job && isTerminal(job.state) && isOpenRun(read) ? ((await ctx.db('runs').where({ run_id: read.run_id }).first()) ?? read) : read;
  const shown = job && presentJob(job);
  const plain = job ? undefined : await plainEnd(ctx, row);
  const waits = await waitsBelow(ctx.db, row.run_id);
  const [approvals, recipients] = await Promise.all([approvalsShown(ctx, waits), recipientsShown(ctx, waits)]);
  return {
    run_id: row.run_id,
    job_id: job?.job_id ?? null,
    agent: row.agent_name,
    skill: row.skill,
    trace_id: traceIdOf(actorOfRun(row, { owner_id: '' })),
    state: shown?.state ?? row.state,
    result: shown?.output?.['result'] ?? plain?.result ?? null,
    error: shown?.error ?? plain?.error ?? null,
    receipt_id: row.receipt_id,
    waits: waits.map((wait) => withApproval(shownTo(row.user_id, wait, recipients.get(wait.wait_id)), approvals)),
    last_seq: shown?.last_seq ?? 0,
    created_at: shown?.created_at ?? row.started_at.toISOString(),
    started_at: shown ? shown.started_at : row.started_at.toISOString(),
    ended_at: (shown ? shown.ended_at : row.ended_at?.toISOString()) ?? null,
  };
}

/** Of a plain call that has a row, for the account that it works for. */
async function plainEnd(ctx: Ctx, row: RunsRow): Promise<{ result: unknown; error: Fault | null }> {
  const reads = ctx.actor.kind === 'user' && ctx.actor.user_id === row.user_id;
  if (!reads || isOpenRun(row)) return { result: null, error: null };
  const content = await contentOf(ctx.db, row.run_id);
  const shown = shownContent(content, row.user_id ?? '', ctx.clock());
  return { result: valueIn(shown?.output) ?? null, error: row.state === 'succeeded' ? null : faultOfCall(await receiptCode(ctx, row), content) };
}

async function receiptCode(ctx: Ctx, { run_id }: RunsRow): Promise<string | null> {
  const receipt = await ctx.db('receipts').where({ run_id, source: 'platform' }).first<{ code: string | null }>(ctx.db.raw(`payload->>'error_code' as code`));
  return receipt?.code ?? null;
}

/** What another account is asked, the user of the run does not read. */
function shownTo(userId: string | null, row: WaitsRow, recipient: RecipientOut | undefined): z.infer<typeof RunWait> {
  return recipient || row.asked_of === userId ? presentOpenWait(row, recipient) : withoutContent(presentOpenWait(row), row);
}
