import type { SchedulesRow } from '#db/tables.ts';
import type { TxCtx } from '../../kernel/ctx.ts';
import { Conflict, NotFound } from '../../kernel/errors.ts';
import { startTurn } from '../chat/begin.ts';
import { replyOf } from '../chat/model.ts';
import { startRun } from '../../runs/durable/start.ts';
import type { PromptTarget } from '#contract/conversation/schedules.ts';
import type { z } from 'zod';
import { scheduleTarget } from './model.ts';

export interface StartedTarget {
  job_id: string;
  /** Null: several. */
  run_id: string | null;
}

/**
 * Starts the target of a schedule on behalf of its owner. @throws as startRun and beginTurn do; Conflict
 * agent_deleted, prompt_starts_nothing
 */
export async function startTarget(ctx: TxCtx, row: SchedulesRow, { idempotencyKey }: { idempotencyKey?: string }): Promise<StartedTarget> {
  const target = scheduleTarget(row);
  if (target.kind === 'prompt') return startPrompt(ctx, row, target, idempotencyKey);
  // Another owner's agent may have the name now: the arguments were not meant for it.
  const same = await ctx
    .db('agents')
    .where({ agent_id: row.agent_id ?? '', name: target.agent })
    .whereNull('deleted_at')
    .first('agent_id');
  if (!same) throw new Conflict('agent_deleted', `${target.agent} was deleted: give the schedule another agent, or delete it`);
  const { job_id, run_id } = await startRun(ctx, {
    userId: row.owner_id,
    agent: target.agent,
    skill: target.skill,
    args: target.args,
    argsAt: ['target', 'args'],
    scheduleId: row.schedule_id,
    title: row.title,
    ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
  });
  return { job_id, run_id };
}

/** A chat turn of its owner. A turn that starts no work is a failure, since no person reads the answer. */
async function startPrompt(ctx: TxCtx, row: SchedulesRow, target: z.infer<typeof PromptTarget>, idempotencyKey: string | undefined): Promise<StartedTarget> {
  const owner = await ctx.db('users').where({ user_id: row.owner_id }).first('user_id', 'email');
  if (!owner) throw new NotFound('owner_deleted', 'The account of this schedule was deleted');
  const actor = { kind: 'user', ...owner, operator: false, via: 'bearer' } as const;
  const { turn, runId } = await startTurn(
    { ...ctx, actor },
    {
      message: target.prompt,
      model: true,
      ...(target.thread_id === null ? {} : { thread_id: target.thread_id }),
      ...(idempotencyKey === undefined ? {} : { key: `schedule/${idempotencyKey}` }),
    },
  );
  if (turn.job_id === null) {
    throw new Conflict('prompt_starts_nothing', 'The prompt calls no skill: name one (@agent.skill {…}), or store a credential for a model that can choose', {
      answer: replyOf(turn).text?.slice(0, 500),
    });
  }
  return { job_id: turn.job_id, run_id: runId ?? null };
}
