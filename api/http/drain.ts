// Reads on a little after a refusal: a connection closed while its sender still writes loses the answer.
import type { IncomingMessage } from 'node:http';

const MOST_BYTES = 64 * 1024 * 1024;
const MOST_MS = 5_000;

/** Resolves when the body has ended, or enough of it was thrown away. */
export function drain(req: IncomingMessage): Promise<void> {
  return new Promise((resolve) => {
    let seen = 0;
    const timer = setTimeout(done, MOST_MS);
    function count(chunk: Buffer): void {
      seen += chunk.length;
      if (seen > MOST_BYTES) done();
    }
    function done(): void {
      clearTimeout(timer);
      req.off('data', count).off('end', done).off('close', done).pause();
      resolve();
    }
    req.on('data', count).on('end', done).on('close', done).resume();
    if (req.complete || req.destroyed) done();
  });
}
