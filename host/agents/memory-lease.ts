// The memory that one instance holds of the machine's budget, or none.
import type { Lease, MemoryBudget } from '../resources/memory-budget.ts';

export class MemoryLease {
  readonly #budget: MemoryBudget;
  readonly #mib: number;
  #lease: Lease | undefined;

  constructor(budget: MemoryBudget, mib: number) {
    this.#budget = budget;
    this.#mib = mib;
  }

  get held(): boolean {
    return this.#lease !== undefined;
  }

  /** Waits for room. @throws RuntimeError wake_queue_full */
  async take(timeoutMs: number): Promise<void> {
    this.#lease ??= await this.#budget.take(this.#mib, timeoutMs);
  }

  /** For a machine that runs already. */
  assume(): void {
    this.#lease ??= this.#budget.assume(this.#mib);
  }

  release(): void {
    this.#lease?.release();
    this.#lease = undefined;
  }
}
