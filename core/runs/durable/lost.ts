// A run whose process is gone. It is executed again where its author allowed that; otherwise it fails with
// advice. A step that may not be repeated is never executed twice.
import { setTimeout as delay } from 'node:timers/promises';
import { retryDelayMs } from '#contract/wire/backoff.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { moveRun } from '../../kernel/run-state.ts';
import { transitionJob } from '../../jobs/transition.ts';
import { appendEvent } from '../../jobs/append-event.ts';
import { signalWorkflow } from '../../outbox/messages.ts';
import { system } from '../../kernel/act.ts';
import { workflowOf } from '../../pauses/wait/model.ts';
import { failedBecause } from '../run/outcome.ts';
import { endDurableRun } from './end.ts';
import type { OpenRun } from './open-run.ts';

/** `host_lost`: its machine is gone; `run_lost`: the process in it, or what that knew of the run. */
interface Loss {
  code: 'run_lost' | 'host_lost';
  why: string;
}

export async function endOrRestart(ctx: Ctx, run: OpenRun, { code, why }: Loss, signal: AbortSignal): Promise<void> {
  const { row } = run;
  if (row.kind === 'started' && row.attempt <= run.policy.restarts) {
    // The skill itself may have ended the process.
    await delay(retryDelayMs(row.attempt), undefined, { signal });
    return restart(ctx, run, why);
  }
  const advice =
    'Check what it has done, then start it again if that is safe. The platform retries it automatically where the skill is declared idempotent and has max_retries left.';
  await endDurableRun(ctx, row.run_id, failedBecause(code, `The run was lost: ${why}. ${advice}`));
}

async function restart(ctx: Ctx, { row }: OpenRun, why: string): Promise<void> {
  await system(ctx, async (ctx) => {
    const moved = await moveRun(ctx.db, row.run_id, 'queued', {
      where: { attempt: row.attempt, asked_process: row.asked_process },
      set: { attempt: row.attempt + 1, asked_process: null, asked_at: null, event_cursor: 0, ran_ms: 0 },
    });
    if (!moved || row.job_id === null) return;
    await appendEvent(ctx.db, row.job_id, 'job.restarted', { attempt: row.attempt + 1, reason: why });
    await transitionJob(ctx.db, row.job_id, { from: ['waiting'], to: 'running' });
    // The process that asked is gone.
    for (const { wait_id } of await ctx.db('waits').where({ run_id: row.run_id, state: 'pending' }).select('wait_id'))
      await signalWorkflow(ctx, workflowOf(wait_id), 'withdraw');
  });
}
