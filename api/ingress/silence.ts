// Answers that say nothing for long. An agent sleeps while its run waits for a person, and its own heartbeat with it: on event streams the
// caller's connection is kept by ours, for as long as the caller stays. Any other answer that falls silent is given up after a time.
import type { ServerResponse } from 'node:http';

export interface Silence {
  heard(chunk: Buffer): void;
  over(): void;
}

/** Comments between events, never within one. */
export function fillSilence(response: ServerResponse, everyMs: number): Silence {
  let tail = '\n\n';
  let heard = false;
  const timer = setInterval(() => {
    if (!heard && /\n\r?\n$/.test(tail) && !response.writableNeedDrain) response.write(':\n\n');
    heard = false;
  }, everyMs).unref();
  return {
    heard(chunk) {
      heard = true;
      tail = (tail + chunk.toString('latin1', Math.max(0, chunk.length - 3))).slice(-3);
    },
    over: () => clearInterval(timer),
  };
}

/** `onTooLong` comes again as long as it lasts: a caller that does not read is no silence of the agent's. */
export function endureSilence(ms: number, onTooLong: () => void): Silence {
  const timer = setInterval(onTooLong, ms).unref();
  return { heard: () => void timer.refresh(), over: () => clearInterval(timer) };
}
