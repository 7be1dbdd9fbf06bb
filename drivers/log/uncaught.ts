// Handles uncaught errors of a process that serves many requests. An uncaught error fails the request it
// belongs to; the process continues. If it ended, every other request would fail too, and an attacker with
// one packet that throws could end it repeatedly. Work that is left half done is safe: states move in
// database transactions, activities and jobs have deadlines and come again.
import type { Logger } from 'pino';

/**
 * Gives up what the error belongs to; returns what the log shall say of it, undefined when nothing is known.
 */
export type GiveUp = () => Record<string, unknown> | undefined;

const WINDOW_MS = 60_000;
const MOST_LINES = 20;

/**
 * To be called once the process is up: an error before that ends it, as it should. Unhandled rejections come
 * here too.
 */
export function keepRunning(log: Pick<Logger, 'error'>, giveUp: GiveUp = () => undefined): void {
  let windowEnds = 0;
  let lines = 0;
  process.on('uncaughtException', (error: unknown, origin) => {
    const belongsTo = attempt(giveUp);
    const now = performance.now();
    if (now > windowEnds) [windowEnds, lines] = [now + WINDOW_MS, 0];
    lines += 1;
    // An error that repeats must not fill the disk.
    if (lines > MOST_LINES) return;
    const more = lines === MOST_LINES ? { note: `further ones are not written for up to ${WINDOW_MS / 1000} s` } : {};
    log.error({ err: error, origin, ...belongsTo, ...more }, 'an error was not caught');
  });
}

function attempt(giveUp: GiveUp): Record<string, unknown> | undefined {
  try {
    return giveUp();
  } catch {
    return undefined;
  }
}
