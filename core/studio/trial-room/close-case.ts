// A case is over, once: its score with its parts, or why there is none.
import { MAX_TRIAL_JSON, type TrialPart } from '#contract/studio/trial-rooms.ts';
import { scoreFrom } from '#contract/studio/trial-score.ts';
import type { TrialRunsRow } from '#db/tables.ts';
import { appendEvent } from '../../jobs/append-event.ts';
import { system } from '../../kernel/act.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import type { Fault } from '../../kernel/errors.ts';
import { storableJson } from '../../kernel/storable.ts';

export interface ClosedCase {
  /** Absent: it was answered. */
  error?: Fault;
  output?: unknown;
  parts?: readonly TrialPart[];
  receiptId?: string | null;
  costMicros?: number | null;
  ms?: number;
}

export async function closeCase(ctx: Ctx, run: Pick<TrialRunsRow, 'run_id' | 'job_id'>, case_no: number, closed: ClosedCase): Promise<void> {
  const { error, output, parts = [], receiptId = null, costMicros = null, ms } = closed;
  const text = output === undefined ? undefined : storableJson(output);
  const score = error ? 0 : scoreFrom(parts);
  await system(ctx, async (ctx) => {
    const moved = await ctx
      .db('trial_results')
      .where({ run_id: run.run_id, case_no })
      .whereNot({ state: 'done' })
      .update({
        state: 'done',
        score,
        parts: storableJson(parts),
        output: text !== undefined && text.length <= MAX_TRIAL_JSON ? text : null,
        error: error ? storableJson(error) : null,
        receipt_id: receiptId,
        cost_micros: costMicros,
        ms: ms === undefined ? null : Math.round(ms),
      });
    if (moved > 0 && run.job_id !== null)
      await appendEvent(ctx.db, run.job_id, 'trial.case', { case: case_no, score, ...(error && { error: { code: error.code, message: error.message } }) });
  });
}
