// What the platform says to a running skill, and reads of it: /answers/{id}, /scope-grants/{id},
// /runs/{id}/events, /runs/{id}/cancel. These take the agent's key and nothing else; where none is set, a
// caller of this machine.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { timingSafeEqual } from 'node:crypto';
import { z } from 'zod';
import { QuestionPayload } from '../../../contract/wire/events.ts';
import { HEADER } from '../../../contract/wire/headers.ts';
import { AuthError, CancelledByCaller } from '../authoring/errors.ts';
import { bearerOf, isLocal } from './authenticate.ts';
import type { DetachedRun } from './detached.ts';
import { EventsGone } from './event-log.ts';
import { readAnswer } from './form.ts';
import type { Executor } from './executor.ts';
import type { RunPlatform } from './platform.ts';
import { HttpError, readJson, sendJson } from './http.ts';
import { SseStream } from './sse.ts';

const Answer = z.union([
  z.object({ answer: z.unknown() }).refine((body) => body.answer !== undefined),
  z.object({ expired: z.literal(true) }),
  /** Of a call that was held. */
  z.object({ approved: z.literal(true) }),
  z.object({ denied: z.object({ reason: z.string().default('') }) }),
]);
const ScopeOutcome = z.union([
  z.object({ grant_token: z.string().max(65_536) }),
  z.object({ denied: z.object({ reason: z.string().default('') }) }),
  z.object({ expired: z.literal(true) }),
  /** On an author's laptop, where the platform is this process. */
  z.object({ approved: z.literal(true) }),
]);

export interface RunRouteParts {
  executor: Executor;
  platform: RunPlatform;
  apiKey: () => string | undefined;
  maxBodyBytes: number;
  heartbeatMs: number;
}

/** Undefined: not one of these routes. @throws SvcError */
export function runRoute(path: string): RegExpExecArray | null {
  return /^\/(answers|scope-grants)\/([\w-]{1,128})$|^\/runs\/([\w-]{1,128})\/(events|cancel)$/.exec(path);
}

export async function serveRunRoute(parts: RunRouteParts, route: RegExpExecArray, req: IncomingMessage, res: ServerResponse, requestId: string): Promise<void> {
  const [, outcome, waitId = '', runId = '', action] = route;
  const method = action === 'events' ? 'GET' : 'POST';
  if (req.method !== method) throw new HttpError('method_not_allowed', `use ${method}`, { allow: method });
  requirePlatform(req, parts.apiKey());
  if (outcome !== undefined) return await settle(parts, outcome, waitId, req, res);
  const run = parts.executor.detached(runId);
  if (!run) throw unknownRun(parts.executor, runId, action);
  if (action === 'events') return await streamLog(parts.executor, run, { after: lastEventId(req), heartbeatMs: parts.heartbeatMs, requestId }, res);
  const over = run.log.ended;
  run.stop(new CancelledByCaller());
  sendJson(res, 200, JSON.stringify({ cancelled: !over }), { [HEADER.process]: parts.executor.process });
}

/**
 * The name of this process lets the platform tell a run that never came from one that was lost with another
 * process.
 */
function unknownRun(executor: Executor, runId: string, action: string | undefined): HttpError {
  const headers = { [HEADER.process]: executor.process };
  if (action === 'cancel') executor.refuse(runId);
  else if (executor.mayHaveRun(runId)) return new HttpError('run_gone', 'this run ended and its events were removed', headers);
  return new HttpError('not_found', 'no such run here: it never was detached, or it was lost when the agent was restarted', headers);
}

async function settle({ executor, platform, maxBodyBytes }: RunRouteParts, kind: string, id: string, req: IncomingMessage, res: ServerResponse): Promise<void> {
  const body = await readJson(req, maxBodyBytes);
  const settled = kind === 'answers' ? answer(executor, id, read(Answer, body)) : resolveScope(executor, platform, id, read(ScopeOutcome, body));
  if (!settled) throw new HttpError('not_found', 'nothing waits for this: it was settled, it expired, or its run is over');
  sendJson(res, 200, '{"resolved":true}');
}

function answer({ pending }: Executor, id: string, body: z.infer<typeof Answer>): boolean {
  if ('expired' in body) return pending.expire(id);
  if ('approved' in body) return pending.resolveHandoff(id, 'allowed');
  if ('denied' in body) return pending.resolveHandoff(id, { denied: body.denied.reason });
  return pending.answer(id, answerText(pending, id, body.answer), 'platform');
}

/**
 * What the platform delivers it has checked; on a laptop this is the only place. @throws HttpError for a form
 * that is filled in wrongly
 */
function answerText(pending: Executor['pending'], id: string, answer: unknown): string {
  const form = pending.open().find((request) => request.id === id && request.payload['schema'] !== undefined);
  const given = form ? readAnswer(QuestionPayload.parse(form.payload), answer) : { text: typeof answer === 'string' ? answer : JSON.stringify(answer) };
  if ('text' in given) return given.text;
  throw new HttpError('bad_request', `The answer does not fit the form: ${given.mistakes}. Send it again.`);
}

function resolveScope({ pending }: Executor, platform: RunPlatform, id: string, body: z.infer<typeof ScopeOutcome>): boolean {
  if ('approved' in body) {
    const token = platform.approve?.(id);
    return token !== undefined && pending.resolveScope(id, { token });
  }
  if ('grant_token' in body) return pending.resolveScope(id, { token: body.grant_token });
  return 'denied' in body ? pending.resolveScope(id, { denied: body.denied.reason }) : pending.expire(id);
}

function read<T>(model: z.ZodType<T>, body: unknown): T {
  const parsed = model.safeParse(body);
  if (parsed.success) return parsed.data;
  throw new HttpError(
    'bad_request',
    'send {"answer": …} or {"expired": true} to /answers/{id}; {"grant_token": …}, {"denied": {"reason": …}} or {"expired": true} to /scope-grants/{id}',
  );
}

/**
 * Events after a number, as they come. A reader that goes away does not affect the run.
 * @throws EventsGone while nothing has been sent
 */
export async function streamLog(
  executor: Executor,
  run: DetachedRun,
  { after, heartbeatMs, requestId }: { after: number; heartbeatMs: number; requestId: string },
  res: ServerResponse,
): Promise<void> {
  if (!run.log.has(after)) throw eventsGoneError(run.log.oldest);
  const gone = new AbortController();
  res.on('close', () => gone.abort());
  const headers = { [HEADER.requestId]: requestId, [HEADER.runId]: run.runId, [HEADER.process]: executor.process };
  const sse = new SseStream(res, headers, heartbeatMs);
  try {
    for await (const event of run.log.read(after, gone.signal)) await sse.write(event);
    sse.finish();
  } catch (error) {
    if (!(error instanceof EventsGone)) throw error;
    // While this reader paused, what it had not read was read by another and made room: it comes again with
    // its number.
    res.destroy();
  } finally {
    executor.readerLeft(run);
  }
}

function eventsGoneError(oldest: number): HttpError {
  const { code, message } = new EventsGone(oldest);
  return new HttpError(code, message, { [HEADER.oldestEvent]: String(oldest) });
}

function lastEventId(req: IncomingMessage): number {
  const given = Number(req.headers['last-event-id'] ?? new URL(req.url ?? '/', 'http://agent').searchParams.get('after') ?? 0);
  return Number.isSafeInteger(given) && given > 0 ? given : 0;
}

function requirePlatform(req: IncomingMessage, key: string | undefined): void {
  if (isPlatform(req, key)) return;
  if (key === undefined) throw new AuthError('only the platform, or a caller on this machine, may do this', { status: 403 });
  throw new AuthError("only the platform may do this: it takes the agent's key");
}

export function isPlatform(req: IncomingMessage, key: string | undefined): boolean {
  if (key === undefined) return isLocal(req);
  const given = Buffer.from(bearerOf(req.headers.authorization) ?? '');
  const due = Buffer.from(key);
  return given.length === due.length && timingSafeEqual(given, due);
}
