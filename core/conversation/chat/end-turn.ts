// A turn ends with the run or plan that it started, in the same transaction.
import type { EndedJob, JobEnd } from '../../jobs/followers.ts';
import type { TxCtx } from '../../kernel/ctx.ts';
import { storableJson } from '../../kernel/storable.ts';
import { appendThreadEvents } from '../../threads/append.ts';
import { replyOf } from './model.ts';
import { assistantSays } from './say.ts';

/** Nothing happens where no turn waits for the job. */
export async function endTurnOfJob(ctx: TxCtx, { job_id, thread_id }: EndedJob, end: JobEnd): Promise<void> {
  if (thread_id === null) return;
  const turn = await ctx.db('chat_turns').where({ job_id, thread_id, state: 'running' }).forUpdate().first();
  if (!turn) return;
  const text = end.text ?? inWords(end);
  const lastSeq = await appendThreadEvents(ctx.db, thread_id, [
    assistantSays(ctx, turn.turn_id, text),
    { kind: 'turn.ended', payload: { turn_id: turn.turn_id, state: end.state, ...(end.error ? { error: end.error } : {}) } },
  ]);
  await ctx
    .db('chat_turns')
    .where({ turn_id: turn.turn_id })
    .update({
      state: end.state,
      reply: storableJson({ ...replyOf(turn), text, ...(end.error ? { error: end.error } : {}) }),
      last_seq: lastSeq ?? null,
      ended_at: ctx.db.raw('now()'),
    });
}

const maxWords = 16_384;
/** Where a result has its words, by what skills usually call them. */
const spoken = ['text', 'message', 'answer', 'summary', 'reply', 'greeting'];

/** A result as a person reads it: its words where it has some, else the whole of it. */
function inWords({ state, result, error }: JobEnd): string {
  if (state !== 'succeeded') return error?.message ?? (state === 'cancelled' ? 'Cancelled.' : 'It failed.');
  return wordsIn(result).slice(0, maxWords);
}

function wordsIn(result: unknown): string {
  if (typeof result === 'string') return result;
  if (typeof result === 'object' && result !== null && !Array.isArray(result)) {
    const entries = Object.entries(result);
    const named = spoken.map((name) => entries.find(([key]) => key === name)?.[1]).find((value) => typeof value === 'string');
    const only = entries.length === 1 ? entries[0]?.[1] : undefined;
    if (typeof named === 'string' || typeof only === 'string') return String(named ?? only);
  }
  return JSON.stringify(result ?? null, null, 2);
}
