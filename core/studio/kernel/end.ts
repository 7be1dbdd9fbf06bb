// How a run ends: once, with what it came to, or with what stopped it.
import type { KernelVerdict } from '#contract/states.ts';
import { type Advanced, endJob } from '../../jobs/long-work.ts';
import { audit } from '../../kernel/audit.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import type { Fault } from '../../kernel/errors.ts';
import { storableJson } from '../../kernel/storable.ts';
import { system } from '../../kernel/act.ts';
import { askChildrenToStop } from '../../jobs/ask-to-stop.ts';
import { type KernelRunRow, selectRuns } from './row.ts';

export async function originalOf(ctx: Ctx, { replay_of }: Pick<KernelRunRow, 'replay_of'>): Promise<KernelRunRow | undefined> {
  if (replay_of === null) return undefined;
  const [original] = await selectRuns(ctx.db).where('k.job_id', replay_of);
  return original;
}

export const differing = (at: number, engine: string): Fault => ({
  code: 'digest_differs',
  message: `The digest of number ${at} differs from the one that engine ${engine} made`,
});

export interface End {
  /** What it was. Absent: it did not come to its end. */
  verdict?: KernelVerdict;
  digest?: string;
  result?: unknown;
  output?: Record<string, unknown>;
  /** Of a replay: the first that differs. */
  first?: number;
  fault?: Fault;
}

export async function end(ctx: Ctx, { job_id }: Pick<KernelRunRow, 'job_id'>, { verdict, digest, result, output, first, fault }: End): Promise<Advanced> {
  await system(ctx, async (ctx) => {
    if (!(await endJob(ctx.db, job_id, { output, fault }))) return;
    await ctx
      .db('kernel_runs')
      .where({ job_id })
      .update({
        verdict: verdict ?? null,
        digest: digest ?? null,
        result: result === undefined ? null : storableJson(result),
        first_difference: first ?? null,
      });
    await askChildrenToStop(ctx, job_id);
    await audit(ctx, `kernel_run.${verdict ?? 'stopped'}`, { job: job_id }, { ...(digest && { digest }), ...(fault && { code: fault.code }) });
  });
  return 'ended';
}
