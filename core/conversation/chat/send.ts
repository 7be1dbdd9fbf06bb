// Sends a message and follows the turn: resolves when it has ended or waits, or streams its events as they
// happen.
import type { z } from 'zod';
import type { ThreadEventOut } from '#contract/conversation/chat-threads.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { NotFound } from '../../kernel/errors.ts';
import { driveAtOnce } from '../../runs/durable/drive-at-once.ts';
import { threadEvents } from '../../threads/read.ts';
import { startTurn, type ChatMessageIn } from './begin.ts';
import { presentTurn, type Turn } from './present.ts';

type ThreadEvent = z.infer<typeof ThreadEventOut>;

export const WAIT_SECONDS = 60;
export const MAX_WAIT_SECONDS = 300;

/** What changes how a turn stands. */
const TURNS = /^(?:turn\.ended|wait\.opened|run\.(?:succeeded|failed|cancelled))$/;

export async function sendMessage(ctx: Ctx, i: ChatMessageIn & { waitSeconds: number; signal: AbortSignal }): Promise<Turn> {
  const { turn, runId } = await startTurn(ctx, i);
  if (runId !== undefined) driveAtOnce({ ...ctx, actor: { kind: 'platform', service: 'chat' } }, runId);
  const until = AbortSignal.any([i.signal, AbortSignal.timeout(i.waitSeconds * 1000)]);
  const stands = turn.state === 'running' && i.waitSeconds > 0 ? await untilItStands(ctx, turn, until) : undefined;
  const shown = stands ?? (await presentTurn(ctx, turn.turn_id));
  if (!shown) throw new NotFound('thread_not_found', 'The thread was deleted meanwhile');
  return shown;
}

/**
 * The thread's events from the turn's first on; ends after the turn's last. What two turns at once say in
 * between is among them.
 */
export async function followMessage(ctx: Ctx, i: ChatMessageIn & { signal: AbortSignal }): Promise<AsyncGenerator<ThreadEvent>> {
  const { turn, runId } = await startTurn(ctx, i);
  if (runId !== undefined) driveAtOnce({ ...ctx, actor: { kind: 'platform', service: 'chat' } }, runId);
  return untilEnded(threadEvents(ctx, turn.thread_id, turn.first_seq - 1, i.signal), turn.turn_id);
}

async function* untilEnded(events: AsyncIterable<ThreadEvent>, turnId: string): AsyncGenerator<ThreadEvent> {
  for await (const event of events) {
    yield event;
    if (event.kind === 'turn.ended' && event.payload['turn_id'] === turnId) return;
  }
}

async function untilItStands(ctx: Ctx, turn: { turn_id: string; thread_id: string; first_seq: number }, signal: AbortSignal): Promise<Turn | undefined> {
  for await (const event of threadEvents(ctx, turn.thread_id, turn.first_seq, signal)) {
    if (!TURNS.test(event.kind)) continue;
    const now = await presentTurn(ctx, turn.turn_id);
    if (now?.state !== 'running') return now;
  }
  return undefined;
}
