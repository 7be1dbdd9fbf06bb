// How threads look on the wire.
import type { z } from 'zod';
import type { MessageOut, ThreadEventOut, ThreadOut } from '#contract/conversation/chat-threads.ts';
import type { ThreadEventsRow, ThreadsRow } from '#db/tables.ts';

export function presentThread(row: ThreadsRow): z.infer<typeof ThreadOut> {
  return {
    thread_id: row.thread_id,
    title: row.title,
    archived: row.archived_at !== null,
    handoffs: row.handoffs,
    last_seq: row.last_seq,
    created_at: row.created_at.toISOString(),
    touched_at: row.touched_at.toISOString(),
  };
}

export function presentThreadEvent(row: ThreadEventsRow): z.infer<typeof ThreadEventOut> {
  return { thread_id: row.thread_id, seq: row.seq, kind: row.kind, payload: payloadOf(row), at: row.at.toISOString() };
}

export function presentMessage(row: ThreadEventsRow): z.infer<typeof MessageOut> {
  const { message_id, role, text, turn_id } = messageOf(row);
  return { message_id, seq: row.seq, role, text, turn_id, at: row.at.toISOString() };
}

/** Payload of an event of kind `message`. */
export interface Message {
  message_id: string;
  role: 'user' | 'assistant';
  text: string;
  turn_id: string;
}

// Safe: appendThreadEvents is the only writer and takes objects only.
function payloadOf(row: Pick<ThreadEventsRow, 'payload'>): Record<string, unknown> {
  return row.payload as Record<string, unknown>;
}

// Safe: say.ts is the only writer of this kind, with this shape.
function messageOf(row: Pick<ThreadEventsRow, 'payload'>): Message {
  return row.payload as Message;
}
