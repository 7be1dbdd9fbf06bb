// A case whose run has ended is scored; one that asks a person, or takes too long, is stopped.
import type { TrialResultsRow } from '#db/tables.ts';
import { system } from '../../kernel/act.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { storedFault } from '../../kernel/errors.ts';
import { isOpenRun } from '../../kernel/run-state.ts';
import { askToStop } from '../../jobs/ask-to-stop.ts';
import { jobOfRun } from '../../jobs/of-run.ts';
import { resultIn } from '../../runs/run/outcome.ts';
import { spentOn } from '../../runs/run/spent.ts';
import { closeCase } from './close-case.ts';
import { measured } from './measure.ts';
import type { RoomSpec, TrialRunRow } from './row.ts';

/** False: its run goes on. */
export async function takeCase(ctx: Ctx, trial: TrialRunRow, spec: RoomSpec, result: TrialResultsRow, signal?: AbortSignal): Promise<boolean> {
  const { case_no, child_run_id } = result;
  const run = await ctx.db('runs').where({ run_id: child_run_id ?? '' }).first(); // prettier-ignore
  if (!run || child_run_id === null) {
    await closeCase(ctx, trial, case_no, { error: { code: 'run_not_found', message: 'The run no longer exists' } });
    return true;
  }
  const job = await jobOfRun(ctx.db, run.run_id);
  const cost = await spentOn(ctx.db, [run.run_id]);
  const ms = run.ran_ms || (run.ended_at?.getTime() ?? ctx.clock()) - run.started_at.getTime();
  const facts = { receiptId: run.receipt_id, costMicros: cost.exact ? cost.micros : null, ms };
  if (isOpenRun(run)) {
    const late = (result.started_at?.getTime() ?? 0) + spec.max_runtime_seconds * 1000 <= ctx.clock();
    if (run.state !== 'waiting' && !late) return false;
    await system(ctx, (ctx) => askToStop(ctx, job, 'trial'));
    const error =
      run.state === 'waiting'
        ? { code: 'asked_a_person', message: 'The skill asks a user: questions cannot be answered in a trial room' }
        : { code: 'trial_case_late', message: `It did not answer within ${spec.max_runtime_seconds} s` };
    await closeCase(ctx, trial, case_no, { ...facts, error });
    return true;
  }
  if (run.deploy_id !== trial.deploy_id) {
    const error = { code: 'version_changed', message: 'Another version became live meanwhile: let the agent run again' };
    await closeCase(ctx, trial, case_no, { ...facts, error });
  } else if (run.state === 'succeeded') {
    const output = resultIn(job?.output);
    const parts = await measured(ctx, trial, spec, case_no, { outcome: { result: output }, ms, costMicros: facts.costMicros }, signal);
    await closeCase(ctx, trial, case_no, { ...facts, output, parts });
  } else {
    await closeCase(ctx, trial, case_no, { ...facts, error: storedFault(job?.error) ?? { code: run.state, message: 'It ended without an answer' } });
  }
  return true;
}
