// At most `limit` skills run at once; a bounded number waits in order, the rest gets 503 with retry-after.
import { AgentBusy } from '../authoring/errors.ts';

export interface Place {
  /** Resolves when it is this call's turn; undefined: at once. */
  ready: Promise<void> | undefined;
  /** Gives the place, or the wait for one, back. Idempotent. */
  release(): void;
}

interface Waiter {
  admit: () => void;
}

export class Gate {
  readonly #limit: number;
  readonly #maxQueued: number;
  readonly #queue = new Set<Waiter>();
  /**
   * Runs that gave their place up while they waited for a person; before the others, for their work has
   * begun.
   */
  readonly #returning = new Set<Waiter>();
  #taken = 0;
  /** Milliseconds a call held its place, smoothed; for Retry-After. */
  #typicalMs = 100;

  constructor(limit: number, maxQueued: number) {
    this.#limit = limit;
    this.#maxQueued = maxQueued;
  }

  get running(): number {
    return this.#taken;
  }
  /** Those that wait for their turn. */
  get queued(): number {
    return this.#queue.size + this.#returning.size;
  }

  /** @throws AgentBusy when the queue is full */
  reserve(): Place {
    if (this.#taken >= this.#limit && this.#queue.size >= this.#maxQueued) throw new AgentBusy(this.#retryAfterSeconds());
    return this.#enter(this.#queue);
  }

  /** For a run that had a place before: never refused, and ahead of those that have not begun. */
  reenter(): Place {
    return this.#enter(this.#returning);
  }

  #enter(queue: Set<Waiter>): Place {
    if (this.#taken < this.#limit) {
      this.#taken += 1;
      return { ready: undefined, release: this.#releaseOnce() };
    }
    let admitted: (() => void) | undefined;
    const { promise, resolve } = Promise.withResolvers<void>();
    const waiter: Waiter = {
      admit: () => {
        admitted = this.#releaseOnce();
        // In a turn of its own: a run that blocks must not hold up the answer of the one before.
        setImmediate(resolve);
      },
    };
    queue.add(waiter);
    return { ready: promise, release: () => (admitted ? admitted() : void queue.delete(waiter)) };
  }

  #releaseOnce(): () => void {
    const since = performance.now();
    let occupied = true;
    return () => {
      if (!occupied) return;
      occupied = false;
      this.#typicalMs += (performance.now() - since - this.#typicalMs) / 8;
      const queue = this.#returning.size > 0 ? this.#returning : this.#queue;
      const [next] = queue;
      if (!next) {
        this.#taken -= 1;
        return;
      }
      // The slot passes to the next call directly, so no other call can take it.
      queue.delete(next);
      next.admit();
    };
  }

  #retryAfterSeconds(): number {
    const seconds = Math.ceil((this.#typicalMs * (this.#queue.size + 1)) / this.#limit / 1000);
    return Math.min(60, Math.max(1, seconds));
  }
}
