// When something was used last: kept in its record for who reads it and for the next host, and measured here
// by a clock that nobody sets. An hour that the machine's clock jumps ends nothing that is in use, and keeps
// nothing awake.
export class LastUse {
  readonly #record: { last_used_at: number };
  #at: number;

  constructor(record: { last_used_at: number }) {
    this.#record = record;
    this.#at = performance.now() - Math.max(0, Date.now() - record.last_used_at);
  }

  /** Now. */
  note(): void {
    this.#record.last_used_at = Date.now();
    this.#at = performance.now();
  }

  /** As performance.now() gives it. */
  get at(): number {
    return this.#at;
  }

  /** Milliseconds since. */
  idleMs(): number {
    return performance.now() - this.#at;
  }
}
