// POST /invoke/{skill}: JSON in; the result as JSON, or the run as an event stream.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { HEADER } from '../../../contract/wire/headers.ts';
import { CancelledByCaller, SkillOutputError, SvcError } from '../authoring/errors.ts';
import type { Authenticate } from './authenticate.ts';
import type { Executor, Prepared } from './executor.ts';
import { detailOf, readJson, sendJson } from './http.ts';
import { SseStream } from './sse.ts';

export interface InvokeParts {
  executor: Executor;
  authenticate: Authenticate;
  maxBodyBytes: number;
  heartbeatMs: number;
}

/** @throws SvcError while nothing has been sent */
export async function invoke(parts: InvokeParts, skill: string, req: IncomingMessage, res: ServerResponse, requestId: string): Promise<void> {
  const auth = await parts.authenticate(req);
  const prepared = await parts.executor.prepare(skill, await readJson(req, parts.maxBodyBytes), auth);
  if (wantsStream(req.headers.accept, prepared.bound.card.stream)) stream(parts, prepared, res, requestId);
  else await answer(parts, prepared, res, requestId);
}

async function answer({ executor }: InvokeParts, prepared: Prepared, res: ServerResponse, requestId: string): Promise<void> {
  const run = executor.start(prepared, { requestId });
  res.on('close', () => {
    if (!res.writableEnded) run.stop(new CancelledByCaller());
  });
  const body = toJson(prepared.bound.id, await run.result);
  sendJson(res, 200, body, { [HEADER.requestId]: requestId, [HEADER.runId]: run.runId });
}

function stream({ executor, heartbeatMs }: InvokeParts, prepared: Prepared, res: ServerResponse, requestId: string): void {
  let sse: SseStream | undefined;
  // Events wait for the headers, and those for a place: a full queue must still be able to answer 503.
  const early: [string, object][] = [];
  const run = executor.start(prepared, {
    requestId,
    sink: (kind, payload) => (sse ? sse.send(kind, payload) : void early.push([kind, payload])),
  });
  const opened = new SseStream(res, { [HEADER.requestId]: requestId, [HEADER.runId]: run.runId }, heartbeatMs);
  sse = opened;
  for (const [kind, payload] of early) void opened.send(kind, payload);
  res.on('close', () => run.stop(new CancelledByCaller()));
  run.result.then(
    (result) => {
      try {
        toJson(prepared.bound.id, result);
        opened.end('result', { result: result ?? null });
      } catch (error) {
        fail(opened, error, requestId);
      }
    },
    (error) => fail(opened, error, requestId),
  );
}

function fail(stream: SseStream, error: unknown, requestId: string): void {
  // The executor rejects with nothing else.
  if (error instanceof SvcError) stream.end('failed', { status: error.status, detail: detailOf(error, requestId) });
}

function toJson(skill: string, result: unknown): string {
  try {
    return JSON.stringify(result ?? null) ?? 'null';
  } catch (error) {
    throw new SkillOutputError(`the result of "${skill}" is not a JSON value`, { cause: error });
  }
}

/** A streaming skill streams unless the caller asks for JSON alone; any skill streams for a caller that asks for a stream. */
function wantsStream(accept: string | undefined, streaming: boolean): boolean {
  if (accept?.includes('text/event-stream')) return true;
  return streaming && (accept === undefined || accept.includes('*/*') || accept.includes('text/*'));
}
