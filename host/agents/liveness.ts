// Whether an agent answers at all, asked while its machine is awake. Its own deadlines may hold its process
// up; one that is silent for longer than any of its skills may take hangs, and nothing inside ends what holds
// it.
import { z } from 'zod';

/** One answer to a question after its life. */
export const aliveWithinMs = 10_000;
/** Beyond the longest that one of its skills may take. */
const graceMs = 30_000;
/** The card is the guest's own word. */
const Card = z.object({ runtime: z.object({ resources: z.object({ max_runtime_seconds: z.number().positive().max(3_600) }) }) });
const defaultRuntimeSeconds = 600;

export class Liveness {
  #silentMs = 0;
  #asking = false;

  /** Another process, or one that just woke. */
  reset(): void {
    this.#silentMs = 0;
  }

  /**
   * Asks, unless a question is open. `awake` stays true as long as the machine was not put to sleep since: a
   * sleeping machine cannot answer. Resolves with the milliseconds of silence once they are too many.
   */
  async ask(alive: () => Promise<boolean>, { card, awake, everyMs }: { card: unknown; awake: () => boolean; everyMs: number }): Promise<number | undefined> {
    if (this.#asking) return undefined;
    this.#asking = true;
    const began = performance.now();
    const answered = await alive().finally(() => (this.#asking = false));
    if (answered || !awake()) {
      this.reset();
      return undefined;
    }
    // A host that itself stood still counts no more than its question.
    this.#silentMs += Math.min(Math.max(performance.now() - began, everyMs), aliveWithinMs);
    const limit = Card.safeParse(card).data?.runtime.resources.max_runtime_seconds ?? defaultRuntimeSeconds;
    const silentMs = this.#silentMs;
    if (silentMs < limit * 1_000 + graceMs) return undefined;
    // Said once: what hangs is ended now.
    this.#silentMs = Number.NEGATIVE_INFINITY;
    return silentMs;
  }
}
