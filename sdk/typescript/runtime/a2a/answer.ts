// Answers on the wire: JSON, or a stream of events that keeps alive and lets slow readers wait.
import type { ServerResponse } from 'node:http';
import { KEEP_ALIVE } from '../sse.ts';

export interface Answering {
  res: ServerResponse;
  headers: () => Record<string, string>;
  heartbeatMs: number;
}

export function sendValue({ res, headers }: Answering, status: number, type: string, value: unknown): void {
  if (res.destroyed || res.headersSent) return;
  const body = value === undefined ? '' : JSON.stringify(value);
  res.writeHead(status, { ...headers(), ...(value !== undefined && { 'content-type': type }), 'content-length': Buffer.byteLength(body) });
  res.end(body);
}

/**
 * The first value decides: what fails before it is an answer of its own (the error is thrown), what fails
 * later is the stream's last event.
 * @param onError an error as an event's data
 */
export async function sendStream<T>(
  answering: Answering,
  source: AsyncIterable<T>,
  encode: (value: T) => unknown,
  onError: (error: unknown) => unknown,
): Promise<void> {
  const { res, headers, heartbeatMs } = answering;
  const values = source[Symbol.asyncIterator]();
  let next = await values.next();
  res.writeHead(200, {
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store',
    'x-accel-buffering': 'no',
    'x-content-type-options': 'nosniff',
    ...headers(),
  });
  res.flushHeaders();
  const heartbeat = setInterval(() => void res.write(KEEP_ALIVE), heartbeatMs);
  try {
    for (; !next.done && !res.destroyed; next = await values.next()) {
      heartbeat.refresh();
      await write(res, `data: ${JSON.stringify(encode(next.value))}\n\n`);
    }
  } catch (error) {
    await write(res, `data: ${JSON.stringify(onError(error))}\n\n`);
  } finally {
    clearInterval(heartbeat);
    await values.return?.();
    res.end();
  }
}

async function write(res: ServerResponse, text: string): Promise<void> {
  if (res.destroyed || res.write(text)) return;
  await new Promise<void>((resolve) => {
    const done = (): void => {
      res.off('drain', done).off('close', done);
      resolve();
    };
    res.on('drain', done).on('close', done);
  });
}
