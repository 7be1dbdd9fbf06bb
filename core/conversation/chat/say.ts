// Messages in a thread, of a person or of the platform.
import type { Ctx } from '../../kernel/ctx.ts';
import { newId } from '../../kernel/ids.ts';
import type { NewEvent } from '../../jobs/append-event.ts';
import type { Message } from '../../threads/present.ts';

export function assistantSays(ctx: Ctx, turnId: string, text: string): NewEvent {
  return say(ctx, { role: 'assistant', turn_id: turnId, text });
}

export function personSays(ctx: Ctx, turnId: string, text: string): NewEvent {
  return say(ctx, { role: 'user', turn_id: turnId, text });
}

function say(ctx: Ctx, message: Omit<Message, 'message_id'>): NewEvent {
  const payload: Message = { message_id: newId('msg', ctx.clock()), ...message };
  return { kind: 'message', payload: { ...payload } };
}
