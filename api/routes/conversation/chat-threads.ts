import type { z } from 'zod';
import type { chatThreads, ThreadEventOut } from '#contract/conversation/chat-threads.ts';
import { createThread } from '#core/threads/create.ts';
import { deleteThread } from '#core/threads/delete.ts';
import { listThreads } from '#core/threads/list.ts';
import { followThread, listMessages, listThreadActivity } from '#core/threads/read.ts';
import { updateThread } from '#core/threads/update.ts';
import type { Handlers, Http, ServerEvent } from '../../http/handlers.ts';
import { resumeAfter } from '../runs/job-events.ts';

type ThreadEvent = z.infer<typeof ThreadEventOut>;

export const chatThreadRoutes: Handlers<typeof chatThreads> = {
  list: (ctx, { query }) => listThreads(ctx, query),
  create: (ctx, { body }) => createThread(ctx, body),
  update: (ctx, { params, body }) => updateThread(ctx, { ...params, ...body }),
  delete: (ctx, { params }) => deleteThread(ctx, params),
  activity: async (ctx, { params, query }, http) => {
    if (!wantsEvents(http)) return http.reply(200, await listThreadActivity(ctx, { ...params, ...query }));
    const after = resumeAfter(http.lastEventId, query.after);
    return http.reply(200, serverEvents(await followThread(ctx, { ...params, after, signal: http.signal })));
  },
  messages: (ctx, { params, query }) => listMessages(ctx, { ...params, ...query }),
};

export function wantsEvents(http: Http): boolean {
  return http.header('accept')?.includes('text/event-stream') === true;
}

/** A thread's events: the id is the sequence number, so a reader resumes without a gap. */
export async function* serverEvents(events: AsyncIterable<ThreadEvent>): AsyncGenerator<ServerEvent<ThreadEvent>> {
  for await (const event of events) yield { id: String(event.seq), event: event.kind, data: event };
}
