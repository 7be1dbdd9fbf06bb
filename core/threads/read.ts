// A thread's events so far, its events as they happen, and its messages.
import type { Knex } from 'knex';
import type { z } from 'zod';
import type { MessageOut, ThreadEventOut, ThreadEventsOut } from '#contract/conversation/chat-threads.ts';
import type { ThreadEventsRow } from '#db/tables.ts';
import type { Ctx } from '../kernel/ctx.ts';
import { nextOfThread } from '../jobs/log-page.ts';
import { followLog } from '../jobs/read-events.ts';
import { decodeCursor, type Page, toPage } from '../kernel/page.ts';
import { threadFor } from './find.ts';
import { presentMessage, presentThreadEvent } from './present.ts';

const page = 500;

export async function readThreadEvents(db: Knex, threadId: string, after: number, limit = page): Promise<ThreadEventsRow[]> {
  return db('thread_events').where({ thread_id: threadId }).where('seq', '>', after).orderBy('seq').limit(limit);
}

export async function listThreadActivity(ctx: Ctx, i: { thread_id: string; after: number; limit: number }): Promise<z.infer<typeof ThreadEventsOut>> {
  const { last_seq } = await threadFor(ctx.db, ctx.actor, 'thread.read', i.thread_id);
  const events = await readThreadEvents(ctx.db, i.thread_id, i.after, i.limit);
  return { items: events.map(presentThreadEvent), last_seq: Math.max(last_seq, events.at(-1)?.seq ?? 0) };
}

/** Ends when the thread is deleted, or when `signal` aborts. */
export async function followThread(
  ctx: Ctx,
  i: { thread_id: string; after: number; signal: AbortSignal },
): Promise<AsyncGenerator<z.infer<typeof ThreadEventOut>>> {
  await threadFor(ctx.db, ctx.actor, 'thread.read', i.thread_id);
  return threadEvents(ctx, i.thread_id, i.after, i.signal);
}

/** Does not ask who may: its caller has. */
export async function* threadEvents(ctx: Ctx, threadId: string, after: number, signal: AbortSignal): AsyncGenerator<z.infer<typeof ThreadEventOut>> {
  const next = async (from: number) => {
    const page = await nextOfThread(ctx.db, threadId, from);
    return page && { events: page.events.map((event) => ({ thread_id: threadId, ...event })), last_seq: page.last_seq, ended: false };
  };
  const log = { id: threadId, next };
  for await (const event of followLog(ctx.drivers.wakeups, log, after, signal)) yield presentThreadEvent(event);
}

/** Newest first. */
export async function listMessages(ctx: Ctx, i: { thread_id: string; limit: number; cursor?: string | undefined }): Promise<Page<z.infer<typeof MessageOut>>> {
  await threadFor(ctx.db, ctx.actor, 'thread.read', i.thread_id);
  const query = ctx
    .db('thread_events')
    .where({ thread_id: i.thread_id, kind: 'message' })
    .orderBy('seq', 'desc')
    .limit(i.limit + 1);
  if (i.cursor !== undefined) void query.where('seq', '<', decodeCursor(i.cursor, ['int32'])[0]);
  return toPage(await query, i.limit, presentMessage, (row) => [row.seq]);
}
