// How the host answers: JSON at once, or NDJSON during long work, which is cancelled when its caller leaves.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { RuntimeError, type LogLine, type RuntimeErrorCode } from '#drivers/runtime/port.ts';

const statusOf: Partial<Record<RuntimeErrorCode, number>> = {
  not_found: 404,
  wake_queue_full: 503,
  build_failed: 422,
  checks_failed: 422,
  start_failed: 422,
  startup_failed: 422,
  unhealthy: 504,
  disk_full: 507,
  cancelled: 409,
};

export function answerJson(response: ServerResponse, status: number, value: unknown): void {
  const text = JSON.stringify(value) ?? 'null';
  response.writeHead(status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }).end(text);
}

/** What a caller may know of an error; of anything unforeseen it gets no detail. */
function errorBody(error: unknown): { code: RuntimeErrorCode; message: string } {
  if (error instanceof RuntimeError) return { code: error.code, message: error.message };
  return { code: 'internal', message: 'The runtime host failed; see its log (`npm run logs host`).' };
}

export function answerError(request: IncomingMessage, response: ServerResponse, error: unknown): void {
  const about = errorBody(error);
  request.resume(); // an unread upload would keep the caller from reading this
  if (response.writableEnded) return; // a stream that has sent it already
  if (response.headersSent) return void response.end(`${JSON.stringify({ error: about })}\n`);
  answerJson(response, statusOf[about.code] ?? 500, about);
}

/** A silent connection is kept alive, and a caller that is gone noticed. */
const waitEveryMs = 10_000;

export async function streamAnswer(
  request: IncomingMessage,
  response: ServerResponse,
  work: (onLog: (line: Omit<LogLine, 'seq'>) => void, signal: AbortSignal) => Promise<unknown>,
): Promise<void> {
  const abort = new AbortController();
  response.on('close', () => {
    if (!response.writableFinished) abort.abort();
  });
  response.writeHead(200, { 'content-type': 'application/x-ndjson' });
  response.flushHeaders();
  const send = (value: unknown): void => void response.write(`${JSON.stringify(value)}\n`);
  const alive = setInterval(() => send({ wait: true }), waitEveryMs);
  try {
    const result = await work(({ at, stream, text }) => send({ log: { at, stream, text } }), abort.signal);
    send({ result });
  } catch (error) {
    request.resume();
    send({ error: errorBody(error) });
    if (!(error instanceof RuntimeError)) throw error;
  } finally {
    clearInterval(alive);
    response.end();
  }
}
