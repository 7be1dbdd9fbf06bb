// A run that continues after its call was answered: a task in progress, or a tool that waits for a user. Its
// events are read at the agent until it ends, which also keeps the agent awake; then the call ends with its
// receipt.
import { setTimeout as delay } from 'node:timers/promises';
import { EventTooLarge, readEvents } from '#contract/wire/event-stream.ts';
import { MAX_EVENT_LENGTH } from '#contract/wire/limits.ts';
import { HEADER } from '#contract/wire/headers.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import type { InstanceRoute } from '../../agents/route/instance.ts';
import { failed, type Outcome } from '../run/outcome.ts';
import type { Call } from './call.ts';
import type { Receipt } from '../run/end.ts';
import { noteFollowed } from './open-calls.ts';
import { outcomeOfEvent, isTerminalEvent } from './agent-events.ts';
import { type EndingCall, endFollowedCall } from './end.ts';

type Place = Pick<InstanceRoute, 'address' | 'apiKey'>;

/** To the first byte; a machine that sleeps is woken within it. */
const answerMs = 60_000;
/** Pauses between attempts while the agent cannot be reached; then the run counts as lost. */
const pausesMs = [200, 1_000, 5_000, 15_000] as const;

/**
 * A connection that lasts this long resets the count of failed attempts: a host may restart while a person
 * thinks.
 */
const stableMs = 60_000;

/** The agent does not know the run: the call never reached it, or it was restarted since. */
const UNKNOWN: Outcome = failed('run_unknown');
const TOO_LARGE: Outcome = failed('answer_too_large');
const LOST: Outcome = failed('stream_broken');

/**
 * If this process ends, the sweep of lost calls follows the run instead. @param unknown its outcome where the
 * agent does not know the run
 */
export async function followAndEnd(ctx: Ctx, call: Call, unknown: Outcome = UNKNOWN): Promise<Receipt> {
  await noteFollowed(ctx, call.callId);
  const outcome = await endOf(ctx, call.run.run_id, call.route);
  return endFollowedCall(ctx, call, outcome === UNKNOWN ? unknown : outcome);
}

/** The same for a call that another process started. */
export async function followFor(ctx: Ctx, call: EndingCall, at: Place): Promise<Receipt> {
  return endFollowedCall(ctx, call, await endOf(ctx, call.run.run_id, at));
}

/** How the run ends; waits for it. */
async function endOf(ctx: Ctx, runId: string, at: Place): Promise<Outcome> {
  let lastId = '0';
  for (let failures = 0; ;) {
    const began = performance.now();
    const heard = await read(ctx, runId, at, lastId).catch((error: unknown) =>
      error instanceof EventTooLarge && error.isOneEvent ? { outcome: TOO_LARGE, lastId } : undefined,
    );
    if (heard?.outcome) return heard.outcome;
    if ((heard && heard.lastId !== lastId) || performance.now() - began > stableMs) failures = 0;
    lastId = heard?.lastId ?? lastId;
    const pause = pausesMs[failures];
    if (pause === undefined) return LOST;
    failures += 1;
    await delay(pause);
  }
}

async function read(ctx: Ctx, runId: string, at: Place, after: string): Promise<{ outcome: Outcome | undefined; lastId: string }> {
  let outcome: Outcome | undefined;
  let lastId = after;
  const headers = { authorization: `Bearer ${at.apiKey}`, 'last-event-id': after, [HEADER.requestId]: runId };
  const path = `/runs/${encodeURIComponent(runId)}/events`;
  const signal = new AbortController().signal;
  // However long the run waits for a person: asking again would wake its machine. One that ends closes the
  // connection.
  const { status, body } = await ctx.drivers.agentHttp.send(at, { method: 'GET', path, body: '', headers, signal, timeoutMs: answerMs, silenceMs: 0 });
  if (status !== 200) {
    // The body is not needed, and reading it could take any time.
    body.on('error', () => undefined).destroy();
    return { outcome: status === 404 ? UNKNOWN : undefined, lastId };
  }
  for await (const { event, data, id } of readEvents(body, { maxLength: MAX_EVENT_LENGTH, resumes: true })) {
    lastId = id ?? lastId;
    if (isTerminalEvent(event)) outcome ??= outcomeOfEvent(event, data);
  }
  return { outcome, lastId };
}
