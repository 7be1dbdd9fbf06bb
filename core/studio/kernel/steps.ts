// The steps of a run, a slice at a time; each may come twice. A slice begins at the beginning: the worlds are
// small, and what was done before is thereby made again and compared, on whatever worker it comes to.
import type { Fault } from '../../kernel/errors.ts';
import { firstDifference, simulate } from '#contract/studio/simulation/run.ts';
import { appendEvent } from '../../jobs/append-event.ts';
import { isTerminal } from '../../jobs/model.ts';
import { type Advanced, markRunning } from '../../jobs/long-work.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { storableJson } from '../../kernel/storable.ts';
import { system } from '../../kernel/act.ts';
import { advanceEvolution } from './evolve.ts';
import { answersIn, beginSimulationCall, takeAnswer } from './calls.ts';
import { differing, end, originalOf } from './end.ts';
import { callsIn, digestsIn, type KernelRunRow, samplesIn, selectRuns, simulationSpecIn } from './row.ts';

/** Steps of the world between two looks at cancelling, deadline and budget. */
const SLICE = 25;

export async function advanceKernelRun(ctx: Ctx, jobId: string, signal?: AbortSignal): Promise<Advanced> {
  await markRunning(ctx.db, jobId);
  const [row] = await selectRuns(ctx.db).where('k.job_id', jobId);
  if (!row || isTerminal(row.state)) return 'ended';
  if (row.deadline_at.getTime() <= ctx.clock()) {
    return end(ctx, row, { fault: { code: 'simulation_late', message: `It did not end by its deadline, with ${row.done} of ${row.total} done` } });
  }
  return row.kind === 'evolution' ? advanceEvolution(ctx, row, signal) : advanceSimulation(ctx, row, signal);
}

async function advanceSimulation(ctx: Ctx, row: KernelRunRow, signal?: AbortSignal): Promise<Advanced> {
  const calls = callsIn(row);
  if (calls.at(-1)?.state === 'running') return (await takeAnswer(ctx, row)) ? 'again' : 'waits';
  const given = { spec: simulationSpecIn(row), seed: row.seed, calls: row.most_calls, answers: answersIn(calls) };
  const { digests, samples, result, question } = await simulate(given, { upTo: row.done + SLICE, ...(signal && { signal }) });
  const known = digestsIn(row);
  const differs = firstDifference(known, digests.slice(0, known.length));
  if (differs !== undefined) return end(ctx, row, { fault: differing(differs, row.engine) });
  await keep(ctx, row, digests, samples);
  if (question) return (await beginSimulationCall(ctx, row, question)) ? 'again' : 'waits';
  if (!result) return 'again';
  const { violation, digest, score } = result;
  const verdict = violation ? 'violated' : 'held';
  const original = await originalOf(ctx, row);
  const first = original && firstDifference(digestsIn(original), digests);
  const broken: Fault | undefined = violation
    ? {
        code: 'invariant_violated',
        message: `Step ${violation.step}: ${violation.message} (${violation.rule}${violation.actor === null ? '' : `, by ${violation.actor}`})`,
      }
    : undefined;
  // A replay is good when it comes to the same, whatever that is.
  const fault = original ? first && differing(first, original.engine) : broken;
  return end(ctx, row, {
    verdict,
    digest,
    result,
    output: { verdict, digest, score, steps: result.steps },
    ...(first !== undefined && { first }),
    ...(fault && { fault }),
  });
}

/** Writes what is new, once. */
async function keep(ctx: Ctx, row: KernelRunRow, digests: readonly string[], samples: readonly Readonly<Record<string, number>>[]): Promise<void> {
  if (digests.length <= row.done) return;
  await system(ctx, async (ctx) => {
    const all = [...samplesIn(row), ...samples.slice(row.done)];
    const set = { done: digests.length, digests: storableJson(digests), samples: storableJson(all) };
    const moved = await ctx.db('kernel_runs').where({ job_id: row.job_id, done: row.done }).update(set); // prettier-ignore
    if (moved > 0)
      await appendEvent(ctx.db, row.job_id, 'simulation.measured', {
        from: row.done + 1,
        to: digests.length,
        samples: samples.slice(row.done),
        digest: digests.at(-1),
      });
  });
}

/** Stopped before its end. */
export async function endKernelRun(ctx: Ctx, jobId: string, fault: Fault): Promise<void> {
  await end(ctx, { job_id: jobId }, { fault });
}
