// Answers that send nothing for long. An agent whose run waits for a user sleeps and sends no heartbeat: the
// API sends comments on event streams instead and does not wake the agent. It ends any other answer that is
// idle for too long.
import type { ServerResponse } from 'node:http';
import { pipeline, Transform, type Readable } from 'node:stream';

/** A line, and no empty one behind it: many a client takes what stands before an empty line for an event. */
const COMMENT = ':\n';

export interface IdleTimer {
  /** Bytes came. */
  reset(chunk: Buffer): void;
  stop(): void;
}

/** Its last line is empty, or a comment: an event has ended, and no other one has begun. */
const BETWEEN = /(?:^|\n)(?:\r?|:[^\n]*)\n$/;
const TAIL = 64;

/** A comment after each idle interval, between events, never within one. */
function comments(everyMs: number, send: () => void): IdleTimer {
  let tail = '\n\n';
  const timer = setInterval(() => {
    if (BETWEEN.test(tail)) send();
  }, everyMs).unref();
  return {
    reset(chunk) {
      timer.refresh();
      tail = (tail + chunk.toString('latin1', Math.max(0, chunk.length - TAIL))).slice(-TAIL);
    },
    stop: () => clearInterval(timer),
  };
}

/** For code that writes an agent's events into a response chunk by chunk. */
export function sseKeepAlive(response: ServerResponse, everyMs: number): IdleTimer {
  return comments(everyMs, () => void (response.writableNeedDrain || response.write(COMMENT)));
}

/** The same events, with comments where none come. */
export function withKeepAlive(events: Readable, everyMs: number): Readable {
  const output = new Transform({
    transform: (chunk: Buffer, _encoding, done) => {
      idle.reset(chunk);
      done(null, chunk);
    },
  });
  // A reader that lags behind has something to read.
  const idle = comments(everyMs, () => void (output.readableLength > 0 || output.push(COMMENT)));
  // However it ends: its reader finds that out by `output`, the agent by `events`.
  pipeline(events, output, () => idle.stop());
  return output;
}

export function isEventStream(headers: Readonly<Record<string, unknown>>): boolean {
  return String(headers['content-type'] ?? '').startsWith('text/event-stream') && headers['content-encoding'] === undefined;
}

/**
 * Calls `onTimeout` after each idle interval: the caller decides whether the agent is idle or its reader
 * slow.
 */
export function idleTimeout(ms: number, onTimeout: () => void): IdleTimer {
  const timer = setInterval(onTimeout, ms).unref();
  return { reset: () => void timer.refresh(), stop: () => clearInterval(timer) };
}
