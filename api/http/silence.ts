// Answers without bytes for a long time. While its run waits for a person, an agent sleeps and sends no heartbeat. On event streams the API sends
// comments instead, as long as the caller stays, and does not wake the agent. It ends any other answer that stays silent for too long.
import type { ServerResponse } from 'node:http';
import { pipeline, Transform, type Readable } from 'node:stream';

const COMMENT = ':\n\n';

export interface Silence {
  heard(chunk: Buffer): void;
  over(): void;
}

/** Comments after each silence, between events, never within one. */
function beats(everyMs: number, say: () => void): Silence {
  let tail = '\n\n';
  const timer = setInterval(() => {
    if (/\n\r?\n$/.test(tail)) say();
  }, everyMs).unref();
  return {
    heard(chunk) {
      timer.refresh();
      tail = (tail + chunk.toString('latin1', Math.max(0, chunk.length - 3))).slice(-3);
    },
    over: () => clearInterval(timer),
  };
}

/** For code that writes an agent's events into a response chunk by chunk. */
export function fillSilence(response: ServerResponse, everyMs: number): Silence {
  return beats(everyMs, () => void (response.writableNeedDrain || response.write(COMMENT)));
}

/** The same events, and comments where they are silent. */
export function keepAlive(events: Readable, everyMs: number): Readable {
  const kept = new Transform({
    transform: (chunk: Buffer, _encoding, done) => {
      silence.heard(chunk);
      done(null, chunk);
    },
  });
  // A reader that lags behind has something to read.
  const silence = beats(everyMs, () => void (kept.readableLength > 0 || kept.push(COMMENT)));
  // However it ends: its reader finds that out by `kept`, the agent by `events`.
  pipeline(events, kept, () => silence.over());
  return kept;
}

export function isEventStream(headers: Readonly<Record<string, unknown>>): boolean {
  return String(headers['content-type'] ?? '').startsWith('text/event-stream') && headers['content-encoding'] === undefined;
}

/** `onTooLong` comes again as long as it lasts: a caller that does not read is no silence of the agent's. */
export function endureSilence(ms: number, onTooLong: () => void): Silence {
  const timer = setInterval(onTooLong, ms).unref();
  return { heard: () => void timer.refresh(), over: () => clearInterval(timer) };
}
