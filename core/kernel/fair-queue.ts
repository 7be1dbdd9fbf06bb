// Shares a scarce resource in the order of contract/wire/fair-order.ts, and refuses requests that would wait
// too long.
import { FairOrder, type FairOrderLimits, type Holder, type Place } from '#contract/wire/fair-order.ts';
import { TooManyRequests } from './errors.ts';

export type { Holder } from '#contract/wire/fair-order.ts';

export interface FairQueueLimits extends FairOrderLimits {
  /** Milliseconds in the queue before a request is refused: shorter than its sender waits for an answer. */
  acquireTimeoutMs: number;
}

type Begin = (place: Place<Begin>) => void;

export class FairQueue {
  readonly #limits: FairQueueLimits;
  readonly #order: FairOrder<Begin>;

  constructor(limits: FairQueueLimits) {
    this.#limits = limits;
    this.#order = new FairOrder(limits);
  }

  /** Executes `work` once there is room. @throws TooManyRequests run_busy: nothing was done */
  async run<T>(holder: Holder, work: () => Promise<T>): Promise<T> {
    const place = await this.#enter(holder);
    try {
      return await work();
    } finally {
      this.#order.leave(place);
      this.#next();
    }
  }

  /** Tenants that hold or wait. */
  get tenants(): number {
    return this.#order.tenants;
  }

  #enter(holder: Holder): Promise<Place<Begin>> {
    return new Promise((resolve, reject) => {
      const begin: Begin = (place) => {
        clearTimeout(late);
        resolve(place);
      };
      const joined = this.#order.join(holder, begin);
      const late = setTimeout(() => {
        if (joined) this.#order.withdraw(joined, begin);
        reject(busy());
      }, this.#limits.acquireTimeoutMs);
      if (joined) return this.#next();
      clearTimeout(late);
      return reject(busy());
    });
  }

  /** Admits the next ones while there is room. */
  #next(): void {
    for (let admitted = this.#order.next(); admitted; admitted = this.#order.next()) admitted.ticket(admitted.place);
  }
}

function busy(): TooManyRequests {
  return new TooManyRequests('run_busy', 'Too many requests of this run, or of its author, wait already: send this again in a moment', {
    retry_after_seconds: 2,
  });
}
