// A turn as it is now: its runs, its waits, its messages.
import type { z } from 'zod';
import type { TurnOut } from '#contract/conversation/chat.ts';
import type { ChatTurnsRow } from '#db/tables.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { presentJob } from '../../runs/job/present.ts';
import { resultIn } from '../../runs/run/outcome.ts';
import { workflowOfRun } from '../../jobs/of-run.ts';
import { recipientsShown } from '../../pauses/wait/shown-recipients.ts';
import { presentWaitCard } from '../../pauses/wait/show.ts';
import { readingOf, replyOf } from './model.ts';

export type Turn = z.infer<typeof TurnOut>;

export async function presentTurn(ctx: Ctx, turnId: string): Promise<Turn | undefined> {
  const row = await ctx.db('chat_turns').where({ turn_id: turnId }).first();
  return row && present(ctx, row);
}

async function present(ctx: Ctx, row: ChatTurnsRow): Promise<Turn> {
  const { db } = ctx;
  const jobs =
    row.job_id === null ? [] : await db('jobs').where({ job_id: row.job_id }).orWhere({ parent_job_id: row.job_id }).orderBy(['created_at', 'job_id']);
  const ids = jobs.map(({ job_id }) => job_id);
  const [runs, waits, plan] = await Promise.all([
    db('runs').whereIn('job_id', ids).select('run_id', 'job_id', 'agent_name', 'skill', 'receipt_id'),
    db('waits').whereIn('job_id', ids).where({ state: 'pending' }).orderBy(['created_at', 'wait_id']),
    row.reading === 'plan' || row.reading === 'model'
      ? db('dag_runs')
          .where({ job_id: row.job_id ?? '' })
          .first('dag_run_id')
      : undefined,
  ]);
  const recipients = await recipientsShown(ctx, waits);
  const { text = '', candidates = [], error } = replyOf(row);
  const state = row.state;
  const shown = runs.flatMap((run) => {
    // Calls that its run made have the same job; they are not shown here.
    const job = jobs.find(({ workflow_id }) => workflow_id === workflowOfRun(run.run_id));
    if (!job) return [];
    const { state: jobState, error: fault, output } = presentJob(job);
    const { run_id, agent_name: agent, skill, receipt_id } = run;
    return [{ run_id, job_id: job.job_id, agent, skill, state: jobState, result: resultIn(output), error: fault, receipt_id }];
  });
  const works = shown.some((run) => run.state === 'queued' || run.state === 'running');
  return {
    turn_id: row.turn_id,
    thread_id: row.thread_id,
    state: state === 'running' && waits.length > 0 && !works ? 'waiting' : state,
    reading: readingOf(row),
    text,
    candidates,
    job_id: row.job_id,
    dag_run_id: plan?.dag_run_id ?? null,
    runs: shown,
    waits: waits.map((wait) => presentWaitCard(wait, recipients.get(wait.wait_id))),
    error: error ?? null,
    first_seq: row.first_seq,
    last_seq: row.last_seq,
    created_at: row.created_at.toISOString(),
    ended_at: row.ended_at?.toISOString() ?? null,
  };
}
