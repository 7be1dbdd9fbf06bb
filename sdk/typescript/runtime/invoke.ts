// POST /invoke/{skill}: JSON in; the result as JSON, or the run as an event stream.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { preferredWaitMs, wantsStream } from '../../../contract/wire/call-headers.ts';
import { HEADER } from '../../../contract/wire/headers.ts';
import { CancelledByCaller } from '../authoring/errors.ts';
import type { Authenticate } from './authenticate.ts';
import type { Executor, Prepared, StartRun } from './executor.ts';
import { finalEvent, toJson } from './final-event.ts';
import { HttpError, readJson, sendJson } from './http.ts';
import type { Principal } from '../authoring/auth.ts';
import type { Owner } from './owner.ts';
import type { RunOrigin } from './origin.ts';
import { streamLog } from './run-routes.ts';
import { SseStream } from './sse.ts';

export interface InvokeParts {
  executor: Executor;
  authenticate: Authenticate;
  /** What came with the call; after authenticate. @throws GrantInvalid */
  origin: (req: IncomingMessage) => RunOrigin;
  owner: (req: IncomingMessage, auth: Principal) => Owner;
  maxBodyBytes: number;
  heartbeatMs: number;
}

/** @throws SvcError while nothing has been sent */
export async function invoke(parts: InvokeParts, skill: string, req: IncomingMessage, res: ServerResponse, requestId: string): Promise<void> {
  const auth = await parts.authenticate(req);
  const origin = parts.origin(req);
  const prepared = await parts.executor.prepare(skill, await readJson(req, parts.maxBodyBytes), auth);
  const streaming = wantsStream(req.headers.accept, prepared.bound.card.stream);
  const { key, shared } = parts.owner(req, auth);
  const start: StartRun = { requestId, origin, owner: shared ? undefined : key };
  if (origin.detached === 'always') await detached(parts, prepared, start, streaming, res);
  else if (streaming) stream(parts, prepared, start, res);
  else await answer(parts, prepared, start, preferredWaitMs(req.headers.prefer), res);
}

const HANDED_OVER = Symbol('the platform holds the run');

/**
 * The platform asks a person for the run: a caller that waits for JSON waits so much longer, and then gets
 * the address of the run.
 */
async function handedOver(kept: Promise<void>, handOverDelayMs: number): Promise<typeof HANDED_OVER> {
  await kept;
  if (handOverDelayMs > 0) await new Promise((resolve) => setTimeout(resolve, handOverDelayMs).unref());
  return HANDED_OVER;
}

async function answer({ executor }: InvokeParts, prepared: Prepared, start: StartRun, handOverDelayMs: number, res: ServerResponse): Promise<void> {
  const run = executor.start(prepared, start);
  res.on('close', () => {
    if (!res.writableEnded && !run.kept?.now) run.stop(new CancelledByCaller());
  });
  const handed = run.kept && handedOver(run.kept.promise, handOverDelayMs);
  const value = await (handed ? Promise.race([run.result, handed]) : run.result);
  if (value === HANDED_OVER) {
    return sendJson(res, 202, JSON.stringify({ run_id: run.runId }), { [HEADER.requestId]: start.requestId, [HEADER.runId]: run.runId });
  }
  const body = toJson(prepared.bound.id, value);
  sendJson(res, 200, body, { [HEADER.requestId]: start.requestId, [HEADER.runId]: run.runId });
}

function stream({ executor, heartbeatMs }: InvokeParts, prepared: Prepared, start: StartRun, res: ServerResponse): void {
  let sse: SseStream | undefined;
  // Events wait for the headers, and those for a place: a full queue must still be able to answer 503.
  const early: [string, object][] = [];
  const run = executor.start(prepared, { ...start, sink: (kind, payload) => (sse ? sse.send(kind, payload) : void early.push([kind, payload])) });
  const opened = new SseStream(res, { [HEADER.requestId]: start.requestId, [HEADER.runId]: run.runId }, heartbeatMs);
  sse = opened;
  for (const [kind, payload] of early) void opened.send(kind, payload);
  res.on('close', () => run.kept?.now || run.stop(new CancelledByCaller()));
  void finalEvent(prepared.bound.id, run.result, start.requestId).then(({ kind, payload }) => opened.end(kind, payload));
}

/**
 * The caller may go: the run continues, and its events are read again at /runs/{run_id}/events. Sent twice,
 * it is one run.
 */
async function detached(parts: InvokeParts, prepared: Prepared, start: StartRun, streaming: boolean, res: ServerResponse): Promise<void> {
  const { executor, heartbeatMs } = parts;
  const runId = start.origin?.runId;
  if (runId !== undefined && executor.isOver(runId)) throw new HttpError('run_gone', 'this run is over: it ran here, or it was cancelled before it came');
  const known = runId === undefined ? undefined : executor.detached(runId);
  const handle = known ? undefined : executor.start(prepared, start);
  const run = known ?? executor.detached(handle?.runId ?? '');
  if (!run) return;
  if (streaming || !handle) return await streamLog(executor, run, { after: 0, heartbeatMs, requestId: start.requestId }, res);
  const body = toJson(prepared.bound.id, await handle.result);
  sendJson(res, 200, body, { [HEADER.requestId]: start.requestId, [HEADER.runId]: run.runId });
}
