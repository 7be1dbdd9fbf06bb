// A server that has too much to do says so, and is called again.
import { setTimeout as delay } from 'node:timers/promises';
import { serverError, status } from './server-error.ts';

const crowdMs = 5_000;

/** Gives a call to the server its deadline. */
export type Bounded = <T>(call: () => Promise<T>) => Promise<T>;

/**
 * Repeats the call for some seconds; also where the server let go of an update because of those that other
 * processes sent.
 */
export async function whenCrowded<T>(call: () => Promise<T>): Promise<T> {
  for (const until = performance.now() + crowdMs; ;) {
    try {
      return await call();
    } catch (error) {
      if (!isCrowded(error) || performance.now() > until) throw error;
      await delay(10 + Math.random() * 90);
    }
  }
}

function isCrowded(error: unknown): boolean {
  const { code, details } = serverError(error) ?? {};
  // UNAVAILABLE also means that the server is down, which is no reason to try again here.
  return code === status.RESOURCE_EXHAUSTED || (code === status.UNAVAILABLE && details === 'workflow update was aborted');
}
