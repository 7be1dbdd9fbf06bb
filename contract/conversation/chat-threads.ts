// Conversations with the platform, and all that happens in them as one list of events without a gap.
import { z } from 'zod';
import { group, passthrough } from '../kit.ts';
import { Instant, nextCursor, pageQuery, SequenceNumber, trimmedText } from '../shared.ts';
import { HANDOFF_RULES } from '../states.ts';

export const ThreadId = z.string().regex(/^thr_[0-9a-f-]{36}$/, 'is not a thread id');

export const Handoffs = z.enum(HANDOFF_RULES).meta({
  id: 'Handoffs',
  description: "Whether an agent at work in the thread asks before it calls another one: when that is not one's own, always, or never.",
});

const title = trimmedText(200);

export const ThreadOut = z
  .strictObject({
    thread_id: z.string(),
    title: z.string(),
    archived: z.boolean(),
    handoffs: Handoffs,
    last_seq: z.int().min(0).meta({ description: 'Sequence number of its newest event.' }),
    created_at: Instant,
    touched_at: Instant.meta({ description: 'Time of the newest message.' }),
  })
  .meta({ id: 'ThreadOut' });

export const ThreadEventOut = z
  .strictObject({
    thread_id: z.string(),
    seq: z.int().min(1).meta({ description: 'From 1, without gaps.' }),
    kind: z.string().meta({ description: 'message, turn.*, run.*, wait.*, plan.*' }),
    payload: z.record(z.string(), z.unknown()),
    at: Instant,
  })
  .meta({ id: 'ThreadEventOut' });

export const MessageOut = z
  .strictObject({
    message_id: z.string(),
    seq: z.int().min(1).meta({ description: 'Number of the event of the message.' }),
    role: z.enum(['user', 'assistant']),
    text: z.string(),
    turn_id: z.string(),
    at: Instant,
  })
  .meta({ id: 'MessageOut' });

const ThreadsOut = z.strictObject({ items: z.array(ThreadOut), next_cursor: nextCursor }).meta({ id: 'ThreadsOut' });
export const ThreadEventsOut = z.strictObject({ items: z.array(ThreadEventOut), last_seq: z.int().min(0) }).meta({ id: 'ThreadEventsOut' });
const MessagesOut = z.strictObject({ items: z.array(MessageOut), next_cursor: nextCursor }).meta({ id: 'MessagesOut' });

const thread = z.object({ thread_id: ThreadId });

export const chatThreads = group({
  list: {
    at: 'GET /v1/me/threads',
    summary: 'Conversations, the one last spoken in first',
    scope: 'account',
    query: pageQuery(50, 200).extend({ archived: z.boolean().default(false).meta({ description: 'true: only archived conversations.' }) }),
    out: ThreadsOut,
    errors: [400, 401, 403],
  },
  create: {
    at: 'POST /v1/me/threads',
    summary: 'Begin a conversation',
    description: 'A chat message without a thread starts one, too.',
    scope: 'account',
    body: z.strictObject({ title: title.optional(), handoffs: Handoffs.default('ask_foreign') }).meta({ id: 'ThreadIn' }),
    out: ThreadOut,
    status: 201,
    errors: [401, 403],
  },
  update: {
    at: 'PATCH /v1/me/threads/{thread_id}',
    summary: 'Rename it, archive or restore it, or set when its agents ask',
    description: 'Runs in an archived thread continue; a new message restores it.',
    scope: 'account',
    params: thread,
    body: z.strictObject({ title: title.optional(), archived: z.boolean().optional(), handoffs: Handoffs.optional() }).meta({ id: 'ThreadPatch' }),
    out: ThreadOut,
    errors: [401, 403, 404],
  },
  delete: {
    at: 'DELETE /v1/me/threads/{thread_id}',
    summary: 'Delete it with its messages and events',
    description: 'Work in progress in it is cancelled, because no user could see or answer it any more. Runs, plans and receipts stay in their own lists.',
    scope: 'account',
    params: thread,
    status: 204,
    errors: [401, 403, 404],
  },
  activity: {
    at: 'GET /v1/me/threads/{thread_id}/activity',
    summary: 'Everything that happened in it, oldest first; as it happens for those who accept text/event-stream',
    description: 'As a stream, the id of an event is its sequence number: Last-Event-ID resumes without a gap. The stream ends with the thread.',
    scope: 'account',
    params: thread,
    query: z.object({
      after: SequenceNumber.default(0).meta({ description: 'Only events with a greater sequence number.' }),
      limit: z.int().min(1).max(1000).default(500),
    }),
    out: passthrough(ThreadEventsOut),
    errors: [401, 403, 404],
  },
  messages: {
    at: 'GET /v1/me/threads/{thread_id}/messages',
    summary: 'List the messages, newest first',
    scope: 'account',
    params: thread,
    query: pageQuery(50, 200, [1_000]),
    out: MessagesOut,
    errors: [400, 401, 403, 404],
  },
});
