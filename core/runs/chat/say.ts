// What is said in a thread, by a person or by the platform.
import type { Ctx } from '../../ctx.ts';
import { newId } from '../../ids.ts';
import type { NewThreadEvent } from '../thread/append.ts';
import type { Message } from '../thread/present.ts';

export function assistantSays(ctx: Ctx, turnId: string, text: string): NewThreadEvent {
  return say(ctx, { role: 'assistant', turn_id: turnId, text });
}

export function personSays(ctx: Ctx, turnId: string, text: string): NewThreadEvent {
  return say(ctx, { role: 'user', turn_id: turnId, text });
}

function say(ctx: Ctx, message: Omit<Message, 'message_id'>): NewThreadEvent {
  const payload: Message = { message_id: newId('msg', ctx.clock()), ...message };
  return { kind: 'message', payload: { ...payload } };
}
