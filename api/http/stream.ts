// Server-sent events and newline-delimited JSON: flushed at once, paced by the reader, ended on shutdown.
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { Logger } from 'pino';
import { SSE_HEARTBEAT_SECONDS } from '#contract/wire/events.ts';
import type { ServerEvent } from './handlers.ts';

export const HEARTBEAT_MS = SSE_HEARTBEAT_SECONDS * 1000;
/** How long a client waits before it connects again, in milliseconds. */
const RETRY_MS = 2_000;

export const TYPE_OF = { 'event-stream': 'text/event-stream; charset=utf-8', ndjson: 'application/x-ndjson; charset=utf-8' };
/** A stream that is over says so at once; one that says nothing for so long goes on. */
const OVER_MS = 1_000;

export interface StreamOptions {
  /** Aborted when the reader has gone or the process is to stop. */
  signal: AbortSignal;
  heartbeatMs?: number | undefined;
  log: Logger;
}

/** Answers 200 and every event; resolves when the stream has ended, however it ended. */
export async function sendEvents(res: ServerResponse, events: AsyncIterable<ServerEvent<unknown>>, options: StreamOptions): Promise<void> {
  res.writeHead(200, { 'content-type': TYPE_OF['event-stream'], 'cache-control': 'no-store', 'x-accel-buffering': 'no' });
  // Neither ends with an empty line: many a client takes what stands before one for an event.
  res.write(`retry: ${RETRY_MS}\n`);
  const beat = setInterval(() => res.write(': heartbeat\n'), options.heartbeatMs ?? HEARTBEAT_MS);
  try {
    await pump(res, events, frame, options);
  } finally {
    clearInterval(beat);
  }
}

/** The same events; undefined: the stream is over. */
export async function unlessOver<T>(events: AsyncIterable<T>): Promise<AsyncIterable<T> | undefined> {
  const iterator = events[Symbol.asyncIterator]();
  const first = iterator.next();
  const { promise: late, resolve } = Promise.withResolvers<undefined>();
  const timer = setTimeout(() => resolve(undefined), OVER_MS);
  const known = await Promise.race([first, late]).finally(() => clearTimeout(timer));
  return known?.done === true ? undefined : goingOn(first, iterator);
}

function goingOn<T>(first: Promise<IteratorResult<T>>, iterator: AsyncIterator<T>): AsyncIterable<T> {
  let next: Promise<IteratorResult<T>> | undefined = first;
  const again = {
    next: () => {
      const due = next ?? iterator.next();
      next = undefined;
      return due;
    },
    return: async (): Promise<IteratorResult<T>> => (await iterator.return?.()) ?? { done: true, value: undefined },
  };
  return { [Symbol.asyncIterator]: () => again };
}

/** Answers 200 and one line for each item. */
export async function sendLines(res: ServerResponse, lines: AsyncIterable<unknown>, options: StreamOptions): Promise<void> {
  res.writeHead(200, { 'content-type': TYPE_OF.ndjson, 'cache-control': 'no-store', 'x-accel-buffering': 'no' });
  await pump(res, lines, (line) => `${JSON.stringify(line)}\n`, options);
}

export function frame({ id, event, data }: ServerEvent<unknown>): string {
  // JSON has no raw line breaks; ids and names must not have any either, or one event could forge another.
  const line = (name: string, value: string): string => `${name}: ${value.replace(/[\r\n\0]/g, ' ')}\n`;
  return `${id === undefined ? '' : line('id', id)}${line('event', event)}data: ${JSON.stringify(data)}\n\n`;
}

async function pump<T>(res: ServerResponse, items: AsyncIterable<T>, write: (item: T) => string, options: StreamOptions): Promise<void> {
  const iterator = items[Symbol.asyncIterator]();
  try {
    for (;;) {
      const next = await untilAborted(iterator.next(), options.signal);
      if (next === undefined || next.done) break;
      if (!res.write(write(next.value))) await drained(res, options.signal);
    }
  } catch (error) {
    // The status is long gone: the connection is broken off so that the reader knows the stream is not
    // complete.
    options.log.error({ err: error }, 'a stream failed');
    res.destroy();
  } finally {
    // Not awaited: a generator that waits inside ends when its own signal does.
    void Promise.resolve(iterator.return?.()).catch(() => undefined);
    if (!res.destroyed) res.end();
  }
}

/**
 * Undefined once `signal` aborts. Not Promise.race with one promise for the whole stream: that keeps every
 * event until its end.
 */
function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T | undefined> {
  return new Promise((resolve, reject) => {
    const stop = (): void => resolve(undefined);
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
    void work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });
}

async function drained(res: ServerResponse, signal: AbortSignal): Promise<void> {
  await once(res, 'drain', { signal }).catch((error: unknown) => {
    if (!signal.aborted) throw error;
  });
}
