// A call that became a durable run while its caller waited: its workflow ends it and signs the receipt; the
// caller receives the outcome.
import type { z } from 'zod';
import type { RunOut } from '#contract/runs/runs.ts';
import type { Ctx, RunActor } from '../../kernel/ctx.ts';
import { followEvents } from '../../jobs/read-events.ts';
import { isDurable } from '../../kernel/run-state.ts';
import { endDurableRun } from '../durable/end.ts';
import { jobOfRun } from '../../jobs/of-run.ts';
import { presentRun } from '../run/read.ts';
import type { Outcome, RunOutcome } from '../run/outcome.ts';
import type { Receipt } from '../run/end.ts';
import type { Call } from './call.ts';

/**
 * The workflow reads the same events and signs the receipt after the last one, ordinarily within
 * milliseconds.
 */
const waitTimeoutMs = 5_000;

/** Undefined: its caller still holds it. */
export async function promotedRun(ctx: Ctx, run: RunActor): Promise<z.infer<typeof RunOut> | undefined> {
  if (!run.adoptable) return undefined;
  const row = await ctx.db('runs').where({ run_id: run.run_id }).first();
  return row && isDurable(row) ? presentRun(ctx, row) : undefined;
}

/** Undefined when the workflow has not signed it yet: the run's job will contain it. */
export async function receiptOfPromoted(ctx: Ctx, call: Call, heard: Outcome | undefined): Promise<Receipt | undefined> {
  const job = await jobOfRun(ctx.db, call.run.run_id);
  if (!job) return undefined;
  for await (const _ of followEvents(ctx.db, ctx.drivers.wakeups, job.job_id, job.last_seq, AbortSignal.timeout(waitTimeoutMs)));
  const known = await platformReceipt(ctx, call);
  if (known || !heard) return known;
  // The agent cannot repeat its events: it was built before calls could become durable. Only its caller knows
  // the outcome.
  const row = await ctx.db('runs').where({ run_id: call.run.run_id }).first('asked_process');
  if (row?.asked_process === null) await endDurableRun(ctx, call.run.run_id, endHeard(heard));
  return platformReceipt(ctx, call);
}

async function platformReceipt(ctx: Ctx, { run }: Call): Promise<Receipt | undefined> {
  return ctx.db('receipts').where({ run_id: run.run_id, source: 'platform' }).first('receipt_id', 'token');
}

function endHeard(outcome: Outcome): RunOutcome {
  if (outcome.state === 'succeeded') return { state: 'succeeded', outputSha256: outcome.outputSha256 };
  const message = 'Only its caller received the result';
  return { state: outcome.state, error: { code: outcome.error.code, message } };
}
