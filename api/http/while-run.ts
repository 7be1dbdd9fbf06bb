// Ends what a run asks when the run has ended, was cancelled, or its agent no longer runs: what costs money must not outlive it.
import { type DomainError, Forbidden, Unauthorized } from '#core/kernel/errors.ts';

const EVERY_MS = 1_000;

interface RunEnds {
  /** Of everything that is asked with this key; aborted with the refusal. Each use is left once. */
  enter(key: string): { signal: AbortSignal; leave(): void };
}

/** @param look throws Unauthorized or Forbidden where the key's run may ask nothing any more */
export function runEnds(look: (key: string) => Promise<unknown>, everyMs = EVERY_MS): RunEnds {
  /** One look for all requests of a run. */
  const watched = new Map<string, { ended: AbortController; timer: NodeJS.Timeout; uses: number }>();
  return {
    enter(key) {
      const one = watched.get(key) ?? watch(key);
      one.uses += 1;
      return {
        signal: one.ended.signal,
        leave: () => {
          one.uses -= 1;
          if (one.uses > 0) return;
          clearInterval(one.timer);
          if (watched.get(key) === one) watched.delete(key);
        },
      };
    },
  };

  function watch(key: string) {
    const ended = new AbortController();
    let looking = false;
    const once = async (): Promise<void> => {
      if (looking) return;
      looking = true;
      try {
        await look(key);
      } catch (error) {
        // A database that does not answer ends nothing: the next look does.
        if (isRefusal(error)) ended.abort(error);
      } finally {
        looking = false;
      }
    };
    const one = { ended, timer: setInterval(() => void once(), everyMs).unref(), uses: 0 };
    ended.signal.addEventListener('abort', () => {
      clearInterval(one.timer);
      watched.delete(key);
    });
    watched.set(key, one);
    return one;
  }
}

function isRefusal(error: unknown): error is DomainError {
  return error instanceof Unauthorized || error instanceof Forbidden;
}
