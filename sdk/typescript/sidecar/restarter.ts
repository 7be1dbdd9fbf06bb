// Keeps something there that can be lost: makes it, and makes it again, with growing pauses, after it was
// lost. Calls wait meanwhile.
import type { Log } from '../authoring/context.ts';
import { AgentNotReady } from '../authoring/errors.ts';

export interface RestarterParts<T> {
  /** In messages: worker, service. */
  name: string;
  /** Leaves nothing behind where it fails. */
  make: () => Promise<T>;
  /** Resolves when it is lost, with why. */
  lost: (made: T) => Promise<Error>;
  /** Takes away what is left of the one that was made last. */
  clear: () => Promise<void>;
  log: Log;
}

const CALLS_WAIT_MS = 30_000;
const BACKOFF = { firstMs: 100, mostMs: 30_000, factor: 2, calmMs: 60_000 } as const;

export class Restarter<T> {
  readonly #parts: RestarterParts<T>;
  #now: T | undefined;
  #current: Promise<T> | undefined;
  #backoffMs: number = BACKOFF.firstMs;
  #since = 0;
  #ending: Promise<void> | undefined;

  constructor(parts: RestarterParts<T>) {
    this.#parts = parts;
  }

  /** Undefined while there is none. */
  get now(): T | undefined {
    return this.#now;
  }
  get isEnding(): boolean {
    return this.#ending !== undefined;
  }

  /** The first one, so that what is wrong with it is known at once. @throws what `make` throws */
  async open(): Promise<T> {
    return await (this.#current = this.#make());
  }

  /** The one that is there, or comes. @throws AgentNotReady when there is none in time */
  async soon(): Promise<T> {
    if (this.#ending || !this.#current) throw new AgentNotReady('the agent is shutting down');
    const { promise, reject } = Promise.withResolvers<never>();
    const late = `the ${this.#parts.name} of this agent does not run; it is being started again`;
    const timer = setTimeout(() => reject(new AgentNotReady(late)), CALLS_WAIT_MS);
    try {
      return await Promise.race([this.#current, promise]);
    } finally {
      clearTimeout(timer);
    }
  }

  /** Once; nothing is made afterwards. `before` runs first. */
  end(before: () => Promise<void> = async () => {}): Promise<void> {
    return (this.#ending ??= before().then(() => this.#parts.clear()));
  }

  /**
   * Another one comes in its place. What becomes of the one that is there is not seen to here: `clear` does
   * not reach it.
   */
  replace(): void {
    if (this.#ending || this.#now === undefined) return;
    this.#now = undefined;
    this.#makeAgain(0);
  }

  async #make(): Promise<T> {
    const made = await this.#parts.make();
    this.#since = performance.now();
    this.#now = made;
    void this.#parts.lost(made).then((reason) => {
      if (this.#now === made) this.#lost(reason);
    });
    return made;
  }

  #lost(reason: Error): void {
    if (this.#ending) return;
    this.#now = undefined;
    // After a calm time the pauses start again with the first one.
    if (performance.now() - this.#since > BACKOFF.calmMs) this.#backoffMs = BACKOFF.firstMs;
    this.#parts.log.error(`the ${this.#parts.name} is gone; starting it again`, { reason: reason.message, pause_ms: this.#backoffMs });
    this.#makeAgain(this.#backoffMs);
  }

  #makeAgain(pauseMs: number): void {
    this.#current = this.#again(pauseMs);
    this.#current.catch(() => {});
  }

  async #again(pauseMs: number): Promise<T> {
    const { name, log, clear } = this.#parts;
    await clear();
    for (let waitMs = pauseMs; ; waitMs = this.#backoffMs) {
      await pause(waitMs);
      if (this.#ending) throw new AgentNotReady('the agent is shutting down');
      this.#backoffMs = Math.min(BACKOFF.mostMs, this.#backoffMs * BACKOFF.factor);
      try {
        return await this.#make();
      } catch (error) {
        log.error(`the ${name} could not be started again`, { error: error instanceof Error ? error.message : String(error), pause_ms: this.#backoffMs });
      }
    }
  }
}

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
